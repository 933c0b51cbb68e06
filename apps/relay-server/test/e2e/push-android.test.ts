import {
  eventually,
  type FakeFcm,
  fcmError,
  makeDeviceToken,
  makeFcmToken,
  makeIdentity,
  makeLoopbackCertificate,
  makeServiceAccount,
  registerActivityRequest,
  registerAndroidRequest,
  sendRequest,
  startFakeFcm,
  startRelay,
} from '@openchambery/testkit';
import type { FakeServiceAccount, HostIdentity } from '@openchambery/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { withPushPrefix } from './support/push-command.ts';
import { expectOk, expectRefused, post, register, rowsOf, send, uniqueTitle } from './support/push-http.ts';
import { openSurroundings, ownPush, ownSurroundings, startAmong } from './support/push-setup.ts';
import type { PushSetup, PushSetupOptions } from './support/push-setup.ts';

// Push API, Android: FCM beside APNs, through the real command.

const ACCOUNT: FakeServiceAccount = makeServiceAccount();

interface Both extends PushSetup {
  readonly fcm: FakeFcm;
}

/** A push relay between Apple's services and Google's. */
async function ownBoth(limits: PushSetupOptions['limits'] = {}): Promise<Both> {
  const certificate = await makeLoopbackCertificate();
  const fcm = await startFakeFcm({ account: ACCOUNT, certificate });
  onTestFinished(() => fcm.close());
  const setup = await ownPush({
    apns: { certificate },
    limits: {
      FCM_SERVICE_ACCOUNT_JSON: ACCOUNT.json,
      FCM_URL: fcm.url,
      FCM_TOKEN_URL: fcm.tokenEndpoint.url,
      ...limits,
    },
  });
  const { private_key: key } = JSON.parse(ACCOUNT.json) as { readonly private_key: string };
  setup.sent.addKey(key);
  return { ...setup, fcm };
}

/** A server with one phone of each kind. */
async function phones(
  setup: PushSetup,
): Promise<{ readonly identity: HostIdentity; readonly apple: string; readonly android: string }> {
  const identity = makeIdentity();
  const [apple, android] = [makeDeviceToken(), makeFcmToken()];
  await register(setup, identity, apple);
  expectOk(await post(setup, registerAndroidRequest(identity, android)));
  return { identity, apple, android };
}

describe('without FCM', () => {
  it('Android stays an unsupported platform, and its tokens are none', async () => {
    const setup = await ownPush();
    const identity = makeIdentity();
    const token = makeFcmToken();
    expectRefused(await post(setup, registerAndroidRequest(identity, token)), 400, 'unsupported_platform');
    const title = uniqueTitle();
    expectRefused(
      await post(setup, sendRequest(identity, { tokens: [token], title })),
      400,
      'invalid_request',
    );
  });
});

describe('registering', () => {
  it('takes 1 to 4096 characters of the alphabet, and nothing else', async () => {
    const setup = await ownBoth();
    const identity = makeIdentity();
    for (const token of ['a', 'Z9:_-', 'x'.repeat(4096), 'A'.repeat(64)]) {
      expectOk(await post(setup, registerAndroidRequest(identity, token)));
      expect(await send(setup, identity, { tokens: [token] })).toEqual([{ token, ok: true }]);
      expect(setup.fcm.count(token)).toBe(1);
    }
    for (const token of ['', 'x'.repeat(4097), 'a b', 'a.b', 'ä', 'a\n', 'a"']) {
      expectRefused(await post(setup, registerAndroidRequest(identity, token)), 400, 'invalid_request');
    }
  });

  it('tells capitals from small letters, which are two phones here', async () => {
    const setup = await ownBoth();
    const { identity, android } = await phones(setup);
    const other = android.toLowerCase();
    expect(await send(setup, identity, { tokens: [other] })).toEqual([{ token: other, ok: false }]);
    expect(setup.fcm.requestsTotal).toBe(0);
  });

  it('is not for Live Activities', async () => {
    const setup = await ownBoth();
    const request = registerActivityRequest(makeIdentity(), makeDeviceToken(), {
      overrides: { platform: 'android' },
    });
    expectRefused(await post(setup, request), 400, 'unsupported_platform');
  });
});

describe('one send for phones of both kinds', () => {
  it('goes to each through its own service', async () => {
    const setup = await ownBoth();
    const { identity, apple, android } = await phones(setup);
    const stranger = makeFcmToken();
    const fields = { body: 'what it says', badge: 3, collapseId: 'thread 1', data: { session: 's1' } };
    const title = uniqueTitle();
    const tokens = [android, stranger, apple, android];
    expect(await send(setup, identity, { tokens, title, ...fields })).toEqual([
      { token: android, ok: true },
      { token: stranger, ok: false },
      { token: apple, ok: true },
    ]);
    expect(setup.sandbox.count(apple)).toBe(1);
    expect(setup.fcm.requests.map(({ payload }) => payload)).toEqual([
      {
        message: {
          token: android,
          data: { title, body: 'what it says', collapseId: 'thread 1', badge: '3', session: 's1' },
          android: { priority: 'HIGH', ttl: '86400s', collapse_key: 'thread 1' },
        },
      },
    ]);
  });

  it.each(['from', 'message_type', 'google.x', 'gcm.x', 'title', 'body', 'badge', 'collapseId'])(
    'may not have %s among its data, which is Apple alone allowed',
    async (key) => {
      const setup = await ownBoth();
      const { identity, apple, android } = await phones(setup);
      const fields = { title: uniqueTitle(), data: { [key]: 'x' } };
      const both = await post(setup, sendRequest(identity, { ...fields, tokens: [apple, android] }));
      expectRefused(both, 400, 'invalid_request');
      expect(rowsOf(await post(setup, sendRequest(identity, { ...fields, tokens: [apple] })))).toEqual([
        { token: apple, ok: true },
      ]);
    },
  );

  it('drops a token that FCM says is unregistered, and no other for it', async () => {
    const setup = await ownBoth();
    const { identity, apple, android } = await phones(setup);
    setup.fcm.script(android, fcmError(404, { errorCode: 'UNREGISTERED', status: 'NOT_FOUND' }));
    const tokens = [apple, android];
    expect(await send(setup, identity, { tokens })).toEqual([
      { token: apple, ok: true },
      { token: android, ok: false, drop: true },
    ]);
    setup.fcm.resetScripts();
    expect(await send(setup, identity, { tokens: [android] })).toEqual([{ token: android, ok: false }]);
    expect(setup.fcm.count(android)).toBe(1);
  });

  it('drops a token of another project only while others of this one are accepted', async () => {
    const setup = await ownBoth();
    const { identity, android } = await phones(setup);
    const foreign = makeFcmToken();
    expectOk(await post(setup, registerAndroidRequest(identity, foreign)));
    setup.fcm.script(foreign, fcmError(403, { errorCode: 'SENDER_ID_MISMATCH' }));
    expect(await send(setup, identity, { tokens: [foreign] })).toEqual([{ token: foreign, ok: false }]);
    expect(await send(setup, identity, { tokens: [foreign, android] })).toEqual([
      { token: foreign, ok: false, drop: true },
      { token: android, ok: true },
    ]);
  });

  it.each([
    ['INVALID_ARGUMENT', 400],
    ['QUOTA_EXCEEDED', 429],
    ['UNAVAILABLE', 503],
    ['INTERNAL', 500],
    [undefined, 404],
  ])('keeps a token after %s (%d)', async (errorCode, status) => {
    const setup = await ownBoth();
    const { identity, android } = await phones(setup);
    setup.fcm.script(android, fcmError(status, errorCode === undefined ? {} : { errorCode }));
    expect(await send(setup, identity, { tokens: [android] })).toEqual([{ token: android, ok: false }]);
  });
});

describe('a service that hangs', () => {
  it.each(['fcm', 'sandbox'] as const)('takes no place from the other: %s', async (name) => {
    const setup = await ownBoth({ MAX_IN_FLIGHT: 4 });
    const { identity, apple, android } = await phones(setup);
    // More streams than one: Apple allows them after the first push that it has taken.
    await send(setup, identity, { tokens: [apple, android] });
    const hanging = setup[name];
    const [stuck, free] = name === 'fcm' ? [android, apple] : [apple, android];
    hanging.scriptAll({ fault: 'silence' });
    const before = hanging.requestsTotal;
    const answers = Array.from({ length: 6 }, () =>
      post(setup, sendRequest(identity, { tokens: [stuck], title: uniqueTitle() })),
    );
    await eventually(() => expect(hanging.requestsTotal).toBe(before + 2));
    for (let round = 0; round < 20; round++) {
      expect(await send(setup, identity, { tokens: [free] })).toEqual([{ token: free, ok: true }]);
    }
    expect(hanging.requestsTotal).toBe(before + 2);
    for (const answer of await Promise.all(answers)) {
      expect(rowsOf(answer)).toEqual([{ token: stuck, ok: false }]);
    }
  });

  it('that swallows everything, PINGs included, slows nothing of the other', async () => {
    const setup = await ownBoth();
    const { identity, apple, android } = await phones(setup);
    setup.fcm.scriptAll({ fault: 'black-hole' });
    const stuck = post(setup, sendRequest(identity, { tokens: [android], title: uniqueTitle() }));
    await eventually(() => expect(setup.fcm.sessions[0]?.isBlackHole).toBe(true));
    for (let round = 0; round < 20; round++) {
      expect(await send(setup, identity, { tokens: [apple] })).toEqual([{ token: apple, ok: true }]);
    }
    expect(rowsOf(await stuck)).toEqual([{ token: android, ok: false }]);
  });
});

describe('bindings of Android', () => {
  it('outlive a start without FCM, in which nothing is sent to them', async () => {
    const certificate = await makeLoopbackCertificate();
    const fcm = await startFakeFcm({ account: ACCOUNT, certificate });
    onTestFinished(() => fcm.close());
    const surroundings = await ownSurroundings({ apns: { certificate } });
    const limits = {
      FCM_SERVICE_ACCOUNT_JSON: ACCOUNT.json,
      FCM_URL: fcm.url,
      FCM_TOKEN_URL: fcm.tokenEndpoint.url,
    };
    const first = await startAmong(surroundings, { limits });
    const identity = makeIdentity();
    const token = 'ab'.repeat(32);
    expectOk(await post(first, registerAndroidRequest(identity, token)));
    await first.push.stop();
    const second = await startAmong(surroundings);
    expect(await send(second, identity, { tokens: [token] })).toEqual([{ token, ok: false }]);
    await second.push.stop();
    const third = await startAmong(surroundings, { limits });
    expect(await send(third, identity, { tokens: [token] })).toEqual([{ token, ok: true }]);
    expect(third.sandbox.count(token)).toBe(0);
  });
});

describe('a relay in combined mode', () => {
  it('serves Android, too', async () => {
    const certificate = await makeLoopbackCertificate();
    const fcm = await startFakeFcm({ account: ACCOUNT, certificate });
    onTestFinished(() => fcm.close());
    const surroundings = await openSurroundings({ apns: { certificate } });
    onTestFinished(() => surroundings.close());
    const { limits = {}, env } = surroundings.startOptions;
    const variables = Object.fromEntries(
      Object.entries(limits).map(([name, value]) => [name, String(value)]),
    );
    const relay = await startRelay({
      env: {
        ...env,
        ...withPushPrefix({
          ...variables,
          FCM_SERVICE_ACCOUNT_JSON: ACCOUNT.json,
          FCM_URL: fcm.url,
          FCM_TOKEN_URL: fcm.tokenEndpoint.url,
        }),
      },
    });
    onTestFinished(() => relay.stop());
    const setup: PushSetup = { ...surroundings, push: { ...relay, url: `http://${relay.authority}` } };
    const { identity, apple, android } = await phones(setup);
    expect(await send(setup, identity, { tokens: [apple, android] })).toEqual([
      { token: apple, ok: true },
      { token: android, ok: true },
    ]);
    await relay.stop();
    expect(setup.sent.foundIn(relay.stderr())).toEqual([]);
  });
});
