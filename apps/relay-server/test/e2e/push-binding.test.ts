import {
  activityRequest,
  makeDeviceToken,
  makeIdentity,
  registerActivityRequest,
  registerRequest,
  sendRequest,
  twinSignature,
  uniqueTs,
  unregisterActivityRequest,
} from '@openchambery/testkit';
import type { HostIdentity, PushRequest, PushRequestOptions } from '@openchambery/testkit';
import { describe, expect, it } from 'vitest';
import {
  boundServer,
  expectOk,
  expectRefused,
  post,
  reaches,
  register,
  registerActivity,
  requestsTotal,
  rowsOf,
  send,
} from './support/push-http.ts';
import { ownPush, usePush } from './support/push-setup.ts';
import type { PushSetup } from './support/push-setup.ts';

// Push API §1 (tokens, replays across routes) and §2: who a token is bound to.

const contentState = { status: 'working', eventVersion: 1, updatedAt: 1 };

/** Whether a Live Activity update of `identity` reaches `token`. */
async function activityReaches(setup: PushSetup, identity: HostIdentity, token: string): Promise<boolean> {
  const before = setup.sandbox.count(token);
  const request = activityRequest(identity, { tokens: [token], event: 'update', contentState });
  const rows = rowsOf(await post(setup, request));
  const isDelivered = setup.sandbox.count(token) > before;
  expect(rows).toEqual([{ token, ok: isDelivered }]);
  return isDelivered;
}

/** The same request with the other signature that verifies. */
function twin({ path, body }: PushRequest): PushRequest {
  return { path, body: { ...body, sig: twinSignature(String(body['sig'])) } };
}

describe('a token', () => {
  const setup = usePush();

  type Register = (identity: HostIdentity, token: string, options?: PushRequestOptions) => PushRequest;
  const routes: readonly (readonly [string, Register])[] = [
    ['register-token', registerRequest],
    ['register-live-activity-token', registerActivityRequest],
    ['unregister-live-activity-token', unregisterActivityRequest],
  ];

  it.each([64, 66, 160, 510, 512])('may have %i digits', async (digits) => {
    for (const [, make] of routes)
      expectOk(await post(setup, make(makeIdentity(), makeDeviceToken(digits / 2))));
    const identity = makeIdentity();
    const token = makeDeviceToken(digits / 2);
    await register(setup, identity, token);
    expect(await reaches(setup, identity, token)).toBe(true);
  });

  it.each([
    ['of 62 digits', makeDeviceToken(31)],
    ['of 514 digits', makeDeviceToken(257)],
    ['of 63 digits', makeDeviceToken().slice(1)],
    ['of 65 digits', `${makeDeviceToken()}0`],
    ['of 511 digits', makeDeviceToken(256).slice(1)],
    ['that is empty', ''],
    ['with a g', `${makeDeviceToken().slice(1)}g`],
    ['with a space in front', ` ${makeDeviceToken().slice(1)}`],
    ['with a line break at its end', `${makeDeviceToken()}\n`],
    ['with brackets', `<${makeDeviceToken(31)}>`],
    ['with 0x', `0x${makeDeviceToken(31)}`],
    ['with full-width digits', '１'.repeat(64)],
    ['with a path', `${makeDeviceToken()}/../`],
  ])('%s is 400', async (_name, token) => {
    for (const [, make] of routes) {
      expectRefused(await post(setup, make(makeIdentity(), token)), 400, 'invalid_request');
    }
    const identity = makeIdentity();
    expectRefused(
      await post(setup, sendRequest(identity, { tokens: [token], title: 't' })),
      400,
      'invalid_request',
    );
    const activity = activityRequest(identity, { tokens: [token], event: 'update', contentState });
    expectRefused(await post(setup, activity), 400, 'invalid_request');
  });

  it.each([
    ['missing', undefined],
    ['null', null],
    ['a number', 12],
    ['a list', [makeDeviceToken()]],
  ])('that is %s is 400', async (_name, token) => {
    for (const [, make] of routes) {
      const request = make(makeIdentity(), makeDeviceToken(), { overrides: { token } });
      expectRefused(await post(setup, request), 400, 'invalid_request');
    }
  });

  it('is the same in upper and lower case, and answers echo what was sent', async () => {
    const identity = makeIdentity();
    const lower = makeDeviceToken();
    const upper = lower.toUpperCase();
    const mixed = `${upper.slice(0, 32)}${lower.slice(32)}`;
    await register(setup, identity, upper);
    for (const token of [upper, lower, mixed]) expect(await reaches(setup, identity, token)).toBe(true);
    // One binding: whoever takes one spelling has them all.
    const other = makeIdentity();
    await register(setup, other, mixed);
    for (const token of [upper, lower, mixed]) expect(await reaches(setup, identity, token)).toBe(false);
    for (const token of [upper, lower, mixed]) expect(await reaches(setup, other, token)).toBe(true);
  });
});

describe('platform and kind', () => {
  const setup = usePush();

  it.each([registerRequest, registerActivityRequest, unregisterActivityRequest])(
    'android is not served by any of the routes (%#)',
    async (make) => {
      const token = makeDeviceToken();
      const ts = uniqueTs();
      const suffix = make === registerRequest ? '' : '.liveactivity';
      const signedText = `${ts}.${token}.android${suffix}`;
      const request = make(makeIdentity(), token, { ts, signedText, overrides: { platform: 'android' } });
      expectRefused(await post(setup, request), 400, 'unsupported_platform');
    },
  );

  it.each([
    ['missing', undefined],
    ['null', null],
    ['a number', 1],
    ['a list', ['ios']],
  ])('a platform that is %s is 400', async (_name, platform) => {
    const request = registerRequest(makeIdentity(), makeDeviceToken(), { overrides: { platform } });
    expectRefused(await post(setup, request), 400, 'invalid_request');
  });

  it.each(['iOS', 'IOS', 'ios ', '', 'macos', 'constructor', '__proto__'])(
    'a platform of "%s" is 400',
    async (platform) => {
      const request = registerRequest(makeIdentity(), makeDeviceToken(), { overrides: { platform } });
      const answer = await post(setup, request);
      expect(answer.status).toBe(400);
      expect([{ error: 'invalid_request' }, { error: 'unsupported_platform' }]).toContainEqual(answer.json);
    },
  );

  it.each([undefined, null, '', 'alert', 'LiveActivity', 1])('a kind of %s is 400', async (kind) => {
    for (const make of [registerActivityRequest, unregisterActivityRequest]) {
      const request = make(makeIdentity(), makeDeviceToken(), { overrides: { kind } });
      expectRefused(await post(setup, request), 400, 'invalid_request');
    }
  });
});

describe('registering', () => {
  const setup = usePush();

  it('binds the token to the server, and to no other', async () => {
    const { identity, token } = await boundServer(setup);
    expect(await reaches(setup, identity, token)).toBe(true);
    expect(await reaches(setup, makeIdentity(), token)).toBe(false);
  });

  it('again with a new signature keeps the binding', async () => {
    const { identity, token } = await boundServer(setup);
    await register(setup, identity, token);
    expect(await reaches(setup, identity, token)).toBe(true);
  });

  it('by another server takes the token over: the last one wins', async () => {
    const { identity: first, token } = await boundServer(setup);
    const second = makeIdentity();
    await register(setup, second, token);
    expect([await reaches(setup, first, token), await reaches(setup, second, token)]).toEqual([false, true]);
    await register(setup, first, token);
    expect([await reaches(setup, first, token), await reaches(setup, second, token)]).toEqual([true, false]);
  });

  it.each([
    ['as it was', (request: PushRequest) => request],
    ['with the twin of its signature', twin],
    [
      'with the token in another place of the body',
      ({ path, body }: PushRequest) => ({
        path,
        body: Object.fromEntries(Object.entries(body).toReversed()),
      }),
    ],
  ])('repeated %s answers 200 and takes nothing back', async (_name, repeat) => {
    const first = makeIdentity();
    const second = makeIdentity();
    const token = makeDeviceToken();
    const captured = registerRequest(first, token);
    expectOk(await post(setup, captured));
    await register(setup, second, token);
    expectOk(await post(setup, repeat(captured)));
    expect([await reaches(setup, first, token), await reaches(setup, second, token)]).toEqual([false, true]);
  });

  it('twenty times at once with one signature answers every one of them', async () => {
    const identity = makeIdentity();
    const token = makeDeviceToken();
    const request = registerRequest(identity, token);
    const answers = await Promise.all(Array.from({ length: 20 }, () => post(setup, request)));
    for (const answer of answers) expectOk(answer);
    expect(await reaches(setup, identity, token)).toBe(true);
  });

  it('by ten servers at once ends with one of them', async () => {
    const token = makeDeviceToken();
    const identities = Array.from({ length: 10 }, () => makeIdentity());
    await Promise.all(identities.map((identity) => register(setup, identity, token)));
    let owners = 0;
    for (const identity of identities) if (await reaches(setup, identity, token)) owners += 1;
    expect(owners).toBe(1);
  });

  it('repeated after the token was dropped does not bring it back', async () => {
    const identity = makeIdentity();
    const token = makeDeviceToken();
    const captured = registerRequest(identity, token);
    expectOk(await post(setup, captured));
    setup.sandbox.script(token, { status: 410, reason: 'Unregistered' }, { status: 200 });
    expect(await send(setup, identity, { tokens: [token] })).toEqual([{ token, ok: false, drop: true }]);
    expectOk(await post(setup, captured));
    expect(await reaches(setup, identity, token)).toBe(false);
  });

  it('with a text that another server has used is no replay', async () => {
    const ts = uniqueTs();
    const token = makeDeviceToken();
    const [first, second] = [makeIdentity(), makeIdentity()];
    expectOk(await post(setup, registerRequest(first, token, { ts })));
    expectOk(await post(setup, registerRequest(second, token, { ts })));
    expect([await reaches(setup, first, token), await reaches(setup, second, token)]).toEqual([false, true]);
  });

  it('the token of a Live Activity repeated answers 200 and takes nothing back', async () => {
    const [first, second] = [makeIdentity(), makeIdentity()];
    const token = makeDeviceToken(80);
    const captured = registerActivityRequest(first, token);
    expectOk(await post(setup, captured));
    await registerActivity(setup, second, token);
    for (const request of [captured, twin(captured)]) expectOk(await post(setup, request));
    expect(await activityReaches(setup, first, token)).toBe(false);
    expect(await activityReaches(setup, second, token)).toBe(true);
  });
});

describe('unregistering the token of a Live Activity', () => {
  const setup = usePush();

  it('ends its binding', async () => {
    const identity = makeIdentity();
    const token = makeDeviceToken(80);
    await registerActivity(setup, identity, token);
    expect(await activityReaches(setup, identity, token)).toBe(true);
    expectOk(await post(setup, unregisterActivityRequest(identity, token)));
    expect(await activityReaches(setup, identity, token)).toBe(false);
  });

  it('in the other case ends it too', async () => {
    const identity = makeIdentity();
    const token = makeDeviceToken(80);
    await registerActivity(setup, identity, token);
    expectOk(await post(setup, unregisterActivityRequest(identity, token.toUpperCase())));
    expect(await activityReaches(setup, identity, token)).toBe(false);
  });

  it('that is unknown is 200', async () => {
    expectOk(await post(setup, unregisterActivityRequest(makeIdentity(), makeDeviceToken(80))));
  });

  it('of another server is 401 and leaves it', async () => {
    const identity = makeIdentity();
    const token = makeDeviceToken(80);
    await registerActivity(setup, identity, token);
    const answer = await post(setup, unregisterActivityRequest(makeIdentity(), token));
    expectRefused(answer, 401, 'invalid_signature');
    expect(await activityReaches(setup, identity, token)).toBe(true);
  });

  it('repeated answers 200 and ends no later binding', async () => {
    const identity = makeIdentity();
    const token = makeDeviceToken(80);
    await registerActivity(setup, identity, token);
    const captured = unregisterActivityRequest(identity, token);
    expectOk(await post(setup, captured));
    await registerActivity(setup, identity, token);
    for (const request of [captured, twin(captured)]) expectOk(await post(setup, request));
    expect(await activityReaches(setup, identity, token)).toBe(true);
  });
});

describe('a signed text', () => {
  const setup = usePush();

  it('of a registration cannot unregister', async () => {
    const identity = makeIdentity();
    const token = makeDeviceToken(80);
    const ts = uniqueTs();
    expectOk(await post(setup, registerActivityRequest(identity, token, { ts })));
    expectRefused(await post(setup, unregisterActivityRequest(identity, token, { ts })), 401, 'replay');
    expect(await activityReaches(setup, identity, token)).toBe(true);
  });

  it('of an unregistration cannot register', async () => {
    const identity = makeIdentity();
    const token = makeDeviceToken(80);
    const ts = uniqueTs();
    expectOk(await post(setup, unregisterActivityRequest(identity, token, { ts })));
    expectRefused(await post(setup, registerActivityRequest(identity, token, { ts })), 401, 'replay');
    expect(await activityReaches(setup, identity, token)).toBe(false);
  });

  it.each([
    ['register-token', 'ios', registerRequest],
    ['register-live-activity-token', 'ios.liveactivity', registerActivityRequest],
    ['unregister-live-activity-token', 'ios.liveactivity', unregisterActivityRequest],
  ])('of %s cannot send', async (_name, title, make) => {
    const identity = makeIdentity();
    const token = makeDeviceToken();
    const ts = uniqueTs();
    const request = make(identity, token, { ts });
    expectOk(await post(setup, request));
    const alert = sendRequest(identity, { tokens: [token], title }, { ts });
    for (const repeated of [alert, twin(alert)]) expectRefused(await post(setup, repeated), 401, 'replay');
    expect(setup.sandbox.count(token)).toBe(0);
  });

  it.each([
    ['register-token', 'ios', registerRequest],
    ['register-live-activity-token', 'ios.liveactivity', registerActivityRequest],
    ['unregister-live-activity-token', 'ios.liveactivity', unregisterActivityRequest],
  ])('of a send cannot be used for %s', async (_name, title, make) => {
    const { identity, token } = await boundServer(setup);
    const ts = uniqueTs();
    const rows = rowsOf(await post(setup, sendRequest(identity, { tokens: [token], title }, { ts })));
    expect(rows).toEqual([{ token, ok: true }]);
    const request = make(identity, token, { ts });
    for (const repeated of [request, twin(request)]) {
      expectRefused(await post(setup, repeated), 401, 'replay');
    }
  });

  it('of a Live Activity push cannot send an alert, and the other way round', async () => {
    const { identity, token } = await boundServer(setup);
    const title = 'update.working.1.1...';
    const fields = { tokens: [token], event: 'update', contentState };
    const [first, second] = [uniqueTs(), uniqueTs()];
    rowsOf(await post(setup, activityRequest(identity, fields, { ts: first })));
    const alert = sendRequest(identity, { tokens: [token], title }, { ts: first });
    expectRefused(await post(setup, alert), 401, 'replay');
    rowsOf(await post(setup, sendRequest(identity, { tokens: [token], title }, { ts: second })));
    expectRefused(await post(setup, activityRequest(identity, fields, { ts: second })), 401, 'replay');
  });
});

describe('a replayed send', () => {
  const setup = usePush();

  it.each([
    ['as it was', (request: PushRequest) => request],
    ['with the twin of its signature', twin],
    [
      'with another body, which is not signed',
      ({ path, body }: PushRequest) => ({ path, body: { ...body, body: 'another body, not signed' } }),
    ],
    [
      'with its tokens in another order',
      ({ path, body }: PushRequest) => ({
        path,
        body: { ...body, tokens: [...(body['tokens'] as readonly string[])].toReversed() },
      }),
    ],
  ])('%s is 401 and sends nothing', async (_name, change) => {
    const { identity, tokens } = await boundServer(setup, 2);
    const request = sendRequest(identity, { tokens, title: 'only once' });
    expect(rowsOf(await post(setup, request))).toEqual(tokens.map((token) => ({ token, ok: true })));
    const before = requestsTotal(setup);
    expectRefused(await post(setup, change(request)), 401, 'replay');
    expect(requestsTotal(setup)).toBe(before);
  });

  it('many times at once is sent once', async () => {
    const { identity, token } = await boundServer(setup);
    const request = sendRequest(identity, { tokens: [token], title: 'at once' });
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => post(setup, i % 2 === 0 ? request : twin(request))),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const answer of answers) if (answer.status !== 200) expectRefused(answer, 401, 'replay');
    expect(setup.sandbox.count(token)).toBe(1);
  });

  it('of a Live Activity is 401 too', async () => {
    const identity = makeIdentity();
    const token = makeDeviceToken(80);
    await registerActivity(setup, identity, token);
    const request = activityRequest(identity, { tokens: [token], event: 'update', contentState });
    expect(rowsOf(await post(setup, request))).toEqual([{ token, ok: true }]);
    for (const one of [request, twin(request)]) expectRefused(await post(setup, one), 401, 'replay');
    expect(setup.sandbox.count(token)).toBe(1);
  });

  it('with a new ts is a new send', async () => {
    const { identity, token } = await boundServer(setup);
    for (let i = 0; i < 3; i++) await send(setup, identity, { tokens: [token], title: 'again' });
    expect(setup.sandbox.count(token)).toBe(3);
  });
});

describe('MAX_TOKENS', () => {
  it('is the most bindings there are; known tokens still change hands', async () => {
    const setup = await ownPush({ limits: { MAX_TOKENS: 3 } });
    const first = makeIdentity();
    const second = makeIdentity();
    const [alert, other, activity, more] = [
      makeDeviceToken(),
      makeDeviceToken(),
      makeDeviceToken(80),
      makeDeviceToken(),
    ];
    await register(setup, first, alert);
    await register(setup, second, other);
    await registerActivity(setup, first, activity);
    for (const identity of [first, second, makeIdentity()]) {
      expectRefused(await post(setup, registerRequest(identity, more)), 429, 'token_limit');
      expectRefused(
        await post(setup, registerActivityRequest(identity, makeDeviceToken())),
        429,
        'token_limit',
      );
    }
    expect(await reaches(setup, first, more)).toBe(false);
    // Known ones: again, in the other case, and by another server.
    await register(setup, first, alert);
    await register(setup, first, alert.toUpperCase());
    await register(setup, second, alert);
    expect(await reaches(setup, second, alert)).toBe(true);
    // Room again.
    expectOk(await post(setup, unregisterActivityRequest(first, activity)));
    await register(setup, first, more);
    expect(await reaches(setup, first, more)).toBe(true);
    expectRefused(await post(setup, registerRequest(first, makeDeviceToken())), 429, 'token_limit');
  });
});
