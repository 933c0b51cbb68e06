import {
  eventually,
  makeDeviceToken,
  makeIdentity,
  registerRequest,
  sendRequest,
} from '@openchambery/testkit';
import type { PushRequest } from '@openchambery/testkit';
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
import { ownSurroundings, startAmong } from './support/push-setup.ts';

// Push API §2: what a restart, however it comes, may not forget.

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

  it('by SIGKILL at any moment loses no registration that was acknowledged, and repeats no push', {
    timeout: 40_000,
  }, async () => {
    const surroundings = await ownSurroundings();
    const identity = makeIdentity();
    const acknowledged: string[] = [];
    const sent: PushRequest[] = [];
    for (let round = 0; round < 3; round++) {
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
      const enough = acknowledged.length + 5 + 4 * round;
      await eventually(() => expect(acknowledged.length).toBeGreaterThanOrEqual(enough), { everyMs: 1 });
      setup.push.kill('SIGKILL');
      await Promise.all([...runs, setup.push.exited]);
    }
    const setup = await startAmong(surroundings);
    const again = sent.map(async (request) => {
      const { status } = await post(setup, request);
      const [token = ''] = request.body['tokens'] as readonly string[];
      if (status !== 200) expectRefused(await post(setup, request), 401, 'replay');
      expect(setup.sandbox.count(token), 'pushed twice').toBeLessThanOrEqual(1);
    });
    await Promise.all(again);
    const reached = await Promise.all(acknowledged.map((token) => reaches(setup, identity, token)));
    expect(reached.filter((isReached) => !isReached)).toEqual([]);
  });
});

function gone(): PushAnswer | undefined {
  return undefined;
}
