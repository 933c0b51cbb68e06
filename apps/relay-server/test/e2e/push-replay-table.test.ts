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
import type { PushAnswer } from './support/push-http.ts';
import { ownPush, ownSurroundings, startAmong, usePush } from './support/push-setup.ts';
import type { PushSetup } from './support/push-setup.ts';

// Push API §2: the replay table. It is bounded, fair, and survives a restart.

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

describe('a restart', () => {
  it('by SIGTERM forgets neither bindings nor what was signed', async () => {
    await expectRemembered('SIGTERM');
  });

  it('by SIGKILL right after the answer forgets neither', async () => {
    await expectRemembered('SIGKILL');
  });

  async function expectRemembered(signal: NodeJS.Signals): Promise<void> {
    const surroundings = await ownSurroundings();
    const first = await startAmong(surroundings);
    const { identity, token } = await boundServer(first);
    const other = makeIdentity();
    const [captured, last] = [registerRequest(other, token), registerRequest(identity, token)];
    const sent = sendRequest(identity, { tokens: [token], title: 'before the restart' });
    for (const request of [captured, last]) expectOk(await post(first, request));
    expect(rowsOf(await post(first, sent))).toEqual([{ token, ok: true }]);
    first.push.kill(signal);
    const { code } = await first.push.exited;
    expect(code).toBe(signal === 'SIGTERM' ? 0 : null);

    const second = await startAmong(surroundings);
    expectRefused(await post(second, sent), 401, 'replay');
    expectOk(await post(second, captured));
    expect(await reaches(second, other, token)).toBe(false);
    expect(await reaches(second, identity, token)).toBe(true);
    expect(second.sandbox.count(token)).toBe(2);
  }

  it('with lower limits keeps what there is', async () => {
    const surroundings = await ownSurroundings();
    const first = await startAmong(surroundings);
    const { identity, tokens } = await boundServer(first, 3);
    const sent = Array.from({ length: 12 }, () =>
      sendRequest(identity, { tokens: [...tokens], title: 'before' }),
    );
    for (const request of sent) rowsOf(await post(first, request));
    first.push.kill('SIGTERM');
    await first.push.exited;

    const limits = { MAX_TOKENS: 2, MAX_REPLAY_ENTRIES: 4 };
    const second = await startAmong(surroundings, { limits });
    const before = requestsTotal(second);
    for (const request of sent) expect([401, 429]).toContain((await post(second, request)).status);
    expect(requestsTotal(second)).toBe(before);
    // Known tokens still change hands; new ones find no room.
    const other = makeIdentity();
    for (const token of tokens.slice(0, 2)) expectOk(await post(second, registerRequest(other, token)));
    const more = makeIdentity();
    expectRefused(await post(second, registerRequest(more, makeDeviceToken())), 429, 'token_limit');
  });

  it('by SIGKILL at any moment loses no registration that was acknowledged, and repeats no push', async () => {
    const surroundings = await ownSurroundings();
    const identity = makeIdentity();
    const acknowledged: string[] = [];
    const sent: PushRequest[] = [];
    for (let round = 0; round < 4; round++) {
      const setup = await startAmong(surroundings);
      // Nobody knows what became of the requests that are under way when it happens.
      const run = async (): Promise<void> => {
        for (;;) {
          const token = makeDeviceToken();
          const registered = await post(setup, registerRequest(identity, token)).catch(gone);
          if (registered === undefined) return;
          expectOk(registered);
          acknowledged.push(token);
          const request = sendRequest(identity, { tokens: [token], title: 'under fire' });
          sent.push(request);
          if ((await post(setup, request).catch(gone)) === undefined) return;
        }
      };
      const runs = Array.from({ length: 4 }, run);
      const enough = acknowledged.length + 8 + 5 * round;
      await eventually(() => expect(acknowledged.length).toBeGreaterThanOrEqual(enough), { everyMs: 1 });
      setup.push.kill('SIGKILL');
      await Promise.all([...runs, setup.push.exited]);
    }
    const setup = await startAmong(surroundings);
    for (const request of sent) {
      const { status } = await post(setup, request);
      const [token = ''] = request.body['tokens'] as readonly string[];
      if (status !== 200) expectRefused(await post(setup, request), 401, 'replay');
      expect(setup.sandbox.count(token), 'pushed twice').toBeLessThanOrEqual(1);
    }
    for (const token of acknowledged) expect(await reaches(setup, identity, token)).toBe(true);
  });
});

function gone(): PushAnswer | undefined {
  return undefined;
}

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
