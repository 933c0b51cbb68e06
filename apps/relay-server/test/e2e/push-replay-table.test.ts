import {
  activityRequest,
  eventually,
  makeDeviceToken,
  makeIdentity,
  registerRequest,
  sendRequest,
} from '@openchambery/testkit';
import type { HostIdentity, PushRequest } from '@openchambery/testkit';
import { describe, expect, it } from 'vitest';
import {
  boundServer,
  expectOk,
  expectRefused,
  post,
  reaches,
  requestsTotal,
  rowsOf,
} from './support/push-http.ts';
import { ownPush, usePush } from './support/push-setup.ts';
import type { PushSetup } from './support/push-setup.ts';

// Push API §2: the replay table. It is bounded and fair; restarts are in push-restart.test.ts.

const contentState = { status: 'working', eventVersion: 1, updatedAt: 1 };

/** Sends with new signatures until the table has no room for this server; gives back what was accepted. */
async function fill(
  setup: PushSetup,
  identity: HostIdentity,
  atMost: number,
): Promise<readonly PushRequest[]> {
  const accepted: PushRequest[] = [];
  for (;;) {
    const request = sendRequest(identity, { tokens: [makeDeviceToken()], title: 'fills the table' });
    const answer = await post(setup, request);
    if (answer.status !== 200) {
      expectRefused(answer, 429, 'rate_limited');
      return accepted;
    }
    accepted.push(request);
    expect(accepted.length, 'the table takes more than it may').toBeLessThanOrEqual(atMost);
  }
}

describe('MAX_REPLAY_ENTRIES', () => {
  const MAX = 12;
  const limits = { MAX_REPLAY_ENTRIES: MAX };

  it('is the most that is remembered, and the server that fills it is refused', async () => {
    const setup = await ownPush({ limits });
    const identity = makeIdentity();
    const accepted = await fill(setup, identity, MAX);
    expect(accepted.length).toBeGreaterThanOrEqual(1);
    // Whatever is new is refused on every route; what is a replay is not served either.
    for (const request of [
      registerRequest(identity, makeDeviceToken()),
      activityRequest(identity, { tokens: [makeDeviceToken()], event: 'update', contentState }),
    ]) {
      expectRefused(await post(setup, request), 429, 'rate_limited');
    }
    for (const request of accepted) expect([401, 429]).toContain((await post(setup, request)).status);
  });

  it('hits nobody else: others register and send as if nothing were', async () => {
    const setup = await ownPush({ limits });
    const { identity: greedy, token: mine } = await boundServer(setup);
    await fill(setup, greedy, MAX);
    const sent: PushRequest[] = [];
    for (let i = 0; i < 3; i++) {
      const { identity, token } = await boundServer(setup);
      const request = sendRequest(identity, { tokens: [token], title: 'a stranger' });
      expect(rowsOf(await post(setup, request))).toEqual([{ token, ok: true }]);
      sent.push(request);
      expectRefused(
        await post(setup, sendRequest(greedy, { tokens: [mine], title: 'more' })),
        429,
        'rate_limited',
      );
    }
    // What they sent is remembered.
    const before = requestsTotal(setup);
    for (const request of sent) expectRefused(await post(setup, request), 401, 'replay');
    expect(requestsTotal(setup)).toBe(before);
  });

  it('makes nothing of the greedy one deliverable again', async () => {
    const setup = await ownPush({ limits });
    const { identity: greedy, token } = await boundServer(setup);
    const sent: PushRequest[] = [];
    for (let i = 0; i < 3; i++) {
      const request = sendRequest(greedy, { tokens: [token], title: 'once' });
      expect(rowsOf(await post(setup, request))).toEqual([{ token, ok: true }]);
      sent.push(request);
    }
    await fill(setup, greedy, MAX);
    for (let i = 0; i < 3; i++) {
      const { identity, token: other } = await boundServer(setup);
      expect(await reaches(setup, identity, other)).toBe(true);
    }
    for (const request of sent) expect([401, 429]).toContain((await post(setup, request)).status);
    expect(setup.sandbox.count(token)).toBe(3);
  });

  /** So many new servers, each with one request, from one address. Whether there is room for them is another matter. */
  async function crowd(setup: PushSetup, localAddress: string): Promise<void> {
    for (let i = 0; i < 2 * MAX; i++) {
      const request = sendRequest(makeIdentity(), { tokens: [makeDeviceToken()], title: 'one each' });
      expect([200, 429]).toContain((await post(setup, request, { localAddress })).status);
    }
  }

  it('does not let a crowd of servers get at somebody from another address', async () => {
    const setup = await ownPush({ limits });
    const { identity, token } = await boundServer(setup);
    const sent = [1, 2, 3].map((n) => sendRequest(identity, { tokens: [token], title: `number ${n}` }));
    for (const request of sent) expect(rowsOf(await post(setup, request))).toEqual([{ token, ok: true }]);
    await crowd(setup, '127.0.0.2');
    for (const request of sent) expectRefused(await post(setup, request), 401, 'replay');
    expect(await reaches(setup, identity, token)).toBe(true);
    expect(setup.sandbox.count(token)).toBe(4);
  });

  it('makes nothing deliverable again, even if a crowd shares the address', async () => {
    const setup = await ownPush({ limits });
    const { identity, token } = await boundServer(setup);
    const sent = [1, 2, 3].map((n) => sendRequest(identity, { tokens: [token], title: `number ${n}` }));
    for (const request of sent) expect(rowsOf(await post(setup, request))).toEqual([{ token, ok: true }]);
    await crowd(setup, '127.0.0.1');
    for (const request of sent) expect([401, 429]).toContain((await post(setup, request)).status);
    expect(setup.sandbox.count(token)).toBe(3);
  });

  it.each(['127.0.0.1', '127.0.0.2'])(
    'gives no token back to a captured registration, whatever crowd comes from %s',
    async (localAddress) => {
      const setup = await ownPush({ limits });
      const [first, second] = [makeIdentity(), makeIdentity()];
      const token = makeDeviceToken();
      const captured = registerRequest(first, token);
      for (const request of [captured, registerRequest(second, token)]) expectOk(await post(setup, request));
      await crowd(setup, localAddress);
      await post(setup, captured);
      const before = setup.sandbox.count(token);
      await post(setup, sendRequest(first, { tokens: [token], title: 'taken back' }));
      expect(setup.sandbox.count(token)).toBe(before);
    },
  );

  it('is used up neither by requests that are not signed nor by replays', async () => {
    const setup = await ownPush({ limits });
    const { identity, token } = await boundServer(setup);
    const request = sendRequest(identity, { tokens: [token], title: 'replays' });
    rowsOf(await post(setup, request));
    for (let i = 0; i < 2 * MAX; i++) {
      const forged = sendRequest(
        identity,
        { tokens: [token], title: 'forged' },
        { signedText: `forged ${i}` },
      );
      expectRefused(await post(setup, forged), 401, 'invalid_signature');
      expectRefused(await post(setup, request), 401, 'replay');
    }
    expect(await reaches(setup, identity, token)).toBe(true);
  });

  it('has room again when REPLAY_MS have passed', async () => {
    const setup = await ownPush({
      limits: { MAX_REPLAY_ENTRIES: 4, TIMESTAMP_SKEW_MS: 1500, REPLAY_MS: 3000 },
    });
    const identity = makeIdentity();
    const [first] = await fill(setup, identity, 4);
    await eventually(async () => {
      const request = sendRequest(identity, { tokens: [makeDeviceToken()], title: 'room again' });
      expect((await post(setup, request)).status).toBe(200);
    });
    // By then what was forgotten is too old to be replayed.
    if (first === undefined) throw new Error('nothing was accepted');
    expect((await post(setup, first)).status).toBe(401);
  });
});

describe('REPLAY_MS', () => {
  it.each([0, 1400])('lasts as long as a timestamp %i ms ahead is good', async (aheadMs) => {
    const setup = await ownPush({ limits: { TIMESTAMP_SKEW_MS: 1500, REPLAY_MS: 3000 } });
    const { identity, token } = await boundServer(setup);
    const ts = Date.now() + aheadMs;
    const request = sendRequest(identity, { tokens: [token], title: 'until it is too old' }, { ts });
    expect(rowsOf(await post(setup, request))).toEqual([{ token, ok: true }]);
    await eventually(async () => expect((await post(setup, request)).json).toEqual({ error: 'timestamp' }), {
      everyMs: 20,
    });
    expect(setup.sandbox.count(token)).toBe(1);
  });
});

describe('one signed text at the same time', () => {
  const setup = usePush();

  it('on two routes is taken by one of them', async () => {
    const { identity, token } = await boundServer(setup);
    const ts = Date.now();
    const [alert, registration] = [
      sendRequest(identity, { tokens: [token], title: 'ios' }, { ts }),
      registerRequest(identity, token, { ts }),
    ];
    const answers = await Promise.all([post(setup, alert), post(setup, registration)]);
    const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b);
    expect(statuses).toEqual([200, 401]);
  });
});
