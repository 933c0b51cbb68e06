import { hold, makeDeviceToken, makeIdentity } from '@openchambery/testkit';
import type { Answer, Reaction } from '@openchambery/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import { boundServer, reaches, register, send } from './support/push-http.ts';
import type { ResultRow } from './support/push-http.ts';
import { ownPush, usePush } from './support/push-setup.ts';
import type { PushSetup } from './support/push-setup.ts';

// Push API §3: what the answers of Apple mean for a row, and for the binding. Apple's own words are from its page
// "Handling notification responses from APNs".

const badDeviceToken: Answer = { status: 400, reason: 'BadDeviceToken' };
const notForTopic: Answer = { status: 400, reason: 'DeviceTokenNotForTopic' };

/** How often the token was tried: in the sandbox, in production. */
function tries({ sandbox, production }: PushSetup, token: string): readonly [number, number] {
  return [sandbox.count(token), production.count(token)];
}

/** The one row of a send to a fresh token for which the sandbox reacts like this. */
async function rowAfter(
  setup: PushSetup,
  ...reactions: readonly Reaction[]
): Promise<{
  readonly row: ResultRow | undefined;
  readonly token: string;
  readonly kept: () => Promise<boolean>;
}> {
  const { identity, token } = await boundServer(setup);
  setup.sandbox.script(token, ...reactions);
  const [row] = await send(setup, identity, { tokens: [token] });
  const kept = async (): Promise<boolean> => {
    setup.sandbox.script(token);
    return reaches(setup, identity, token);
  };
  return { row, token, kept };
}

/** Lets both environments accept a push to somebody else: then neither is at fault. */
async function acceptOthers(setup: PushSetup): Promise<void> {
  for (const env of ['sandbox', 'production'] as const) {
    const { identity, tokens } = await boundServer(setup, 3);
    expect(await send(setup, identity, { tokens, env })).toEqual(
      tokens.map((token) => ({ token, ok: true })),
    );
    for (const token of tokens) expect(setup[env].count(token)).toBe(1);
  }
}

/** Lets the clock go on by a millisecond, so that what comes next is later than what was. */
function nextMillisecond(): number {
  const before = Date.now();
  while (Date.now() <= before + 1);
  return before + 1;
}

describe('a token that is dead', () => {
  const setup = usePush();

  it.each<readonly [string, (nowMs: number) => Answer]>([
    [
      '410 since a moment after the registration',
      (nowMs) => ({ status: 410, reason: 'Unregistered', timestampMs: nowMs + 5000 }),
    ],
    ['410 ExpiredToken', (nowMs) => ({ status: 410, reason: 'ExpiredToken', timestampMs: nowMs + 5000 })],
    ['410 without a time', () => ({ status: 410, reason: 'Unregistered' })],
    ['410 without a body', () => ({ status: 410, body: '' })],
    [
      '410 with a reason nobody knows',
      (nowMs) => ({ status: 410, reason: 'Gone', timestampMs: nowMs + 5000 }),
    ],
    ['Unregistered with another status', () => ({ status: 400, reason: 'Unregistered' })],
  ])('by %s is dropped', async (_name, answer) => {
    const { row, token, kept } = await rowAfter(setup, answer(Date.now()));
    expect(row).toEqual({ token, ok: false, drop: true });
    expect(tries(setup, token)).toEqual([1, 0]);
    expect(await kept()).toBe(false);
  });

  it('is dropped once: afterwards it is like any other that is not bound', async () => {
    const { identity, token } = await boundServer(setup);
    setup.sandbox.script(token, { status: 410, reason: 'Unregistered' });
    expect(await send(setup, identity, { tokens: [token] })).toEqual([{ token, ok: false, drop: true }]);
    expect(await send(setup, identity, { tokens: [token] })).toEqual([{ token, ok: false }]);
    expect(tries(setup, token)).toEqual([1, 0]);
  });

  it('can be registered again', async () => {
    const { identity, token } = await boundServer(setup);
    setup.sandbox.script(token, { status: 410, reason: 'Unregistered' }, { status: 200 });
    expect(await send(setup, identity, { tokens: [token] })).toEqual([{ token, ok: false, drop: true }]);
    await register(setup, identity, token);
    expect(await reaches(setup, identity, token)).toBe(true);
  });

  it('is echoed in the spelling that was sent', async () => {
    const { identity, token } = await boundServer(setup);
    setup.sandbox.script(token, { status: 410, reason: 'Unregistered' });
    const upper = token.toUpperCase();
    expect(await send(setup, identity, { tokens: [upper] })).toEqual([
      { token: upper, ok: false, drop: true },
    ]);
  });
});

describe('410 since before the registration', () => {
  const setup = usePush();

  it.each([60_000, 86_400_000 * 30])('by %i ms keeps the binding', async (beforeMs) => {
    const { row, token, kept } = await rowAfter(setup, {
      status: 410,
      reason: 'Unregistered',
      timestampMs: Date.now() - beforeMs,
    });
    expect(row).toEqual({ token, ok: false });
    expect(await kept()).toBe(true);
  });

  it.each([0, 1000, 1_700_000_000])(
    'by its time of %i keeps it, however strange that is',
    async (timestampMs) => {
      const { row, token, kept } = await rowAfter(setup, {
        status: 410,
        reason: 'Unregistered',
        timestampMs,
      });
      expect(row).toEqual({ token, ok: false });
      expect(await kept()).toBe(true);
    },
  );

  it('keeps it when the server has registered it again since', async () => {
    const { identity, token } = await boundServer(setup);
    const timestampMs = nextMillisecond();
    nextMillisecond();
    await register(setup, identity, token);
    setup.sandbox.script(token, { status: 410, reason: 'Unregistered', timestampMs });
    expect(await send(setup, identity, { tokens: [token] })).toEqual([{ token, ok: false }]);
    setup.sandbox.script(token);
    expect(await reaches(setup, identity, token)).toBe(true);
  });

  it('keeps it when that happened while the answer was on its way', async () => {
    const { identity, token } = await boundServer(setup);
    const held = hold();
    setup.sandbox.script(token, held);
    const before = setup.sandbox.requestsTotal;
    const rows = send(setup, identity, { tokens: [token] });
    await setup.sandbox.waitForRequests(before + 1);
    const timestampMs = nextMillisecond();
    nextMillisecond();
    await register(setup, identity, token);
    held.release({ status: 410, reason: 'Unregistered', timestampMs });
    expect(await rows).toEqual([{ token, ok: false }]);
    setup.sandbox.script(token);
    expect(await reaches(setup, identity, token)).toBe(true);
  });

  it('keeps what another server has taken over while the answer was on its way', async () => {
    const { identity, token } = await boundServer(setup);
    const other = makeIdentity();
    const held = hold();
    setup.sandbox.script(token, held);
    const before = setup.sandbox.requestsTotal;
    const rows = send(setup, identity, { tokens: [token] });
    await setup.sandbox.waitForRequests(before + 1);
    const timestampMs = nextMillisecond();
    nextMillisecond();
    await register(setup, other, token);
    held.release({ status: 410, reason: 'Unregistered', timestampMs });
    expect((await rows)[0]).toMatchObject({ token, ok: false });
    setup.sandbox.script(token);
    expect(await reaches(setup, other, token)).toBe(true);
  });
});

describe('an answer that says nothing about the token', () => {
  const setup = usePush();

  it.each([
    'BadCollapseId',
    'BadExpirationDate',
    'BadMessageId',
    'BadPriority',
    'BadTopic',
    'DuplicateHeaders',
    'IdleTimeout',
    'InvalidPushType',
    'MissingDeviceToken',
    'MissingTopic',
    'PayloadEmpty',
    'TopicDisallowed',
    'AReasonOfNextYear',
  ])('400 %s keeps the binding', async (reason) => {
    const { row, token, kept } = await rowAfter(setup, { status: 400, reason });
    expect(row).toEqual({ token, ok: false });
    expect(tries(setup, token)).toEqual([1, 0]);
    expect(await kept()).toBe(true);
  });

  it.each<readonly [string, Answer]>([
    ['404 BadPath', { status: 404, reason: 'BadPath' }],
    ['405 MethodNotAllowed', { status: 405, reason: 'MethodNotAllowed' }],
    ['413 PayloadTooLarge', { status: 413, reason: 'PayloadTooLarge' }],
    ['418', { status: 418 }],
    ['302', { status: 302, headers: { location: 'https://example.org/' } }],
    ['400 without a body', { status: 400, body: '' }],
    ['400 that is not JSON', { status: 400, body: '<html>BadDeviceToken' }],
    ['400 with a list', { status: 400, body: '["BadDeviceToken"]' }],
    ['400 with a reason that is no text', { status: 400, body: '{"reason":["BadDeviceToken"]}' }],
    ['400 with a megabyte', { status: 400, body: `{"reason":"${'x'.repeat(1_000_000)}"}` }],
  ])('%s keeps the binding', async (_name, answer) => {
    const { row, token, kept } = await rowAfter(setup, answer);
    expect(row).toEqual({ token, ok: false });
    expect(await kept()).toBe(true);
  });

  it.each<readonly [string, Answer]>([
    ['429 TooManyRequests', { status: 429, reason: 'TooManyRequests' }],
    ['429 with Retry-After', { status: 429, reason: 'TooManyRequests', retryAfter: 1 }],
    ['500 InternalServerError', { status: 500, reason: 'InternalServerError' }],
    ['503 ServiceUnavailable', { status: 503, reason: 'ServiceUnavailable' }],
    ['503 Shutdown', { status: 503, reason: 'Shutdown' }],
    ['500 without a body', { status: 500, body: '' }],
    ['502 of a proxy', { status: 502, body: 'bad gateway' }],
  ])('%s is ok:false and is not sent again', async (_name, answer) => {
    const { row, token } = await rowAfter(setup, answer);
    expect(row).toEqual({ token, ok: false });
    expect(tries(setup, token)).toEqual([1, 0]);
    // Nobody else has to suffer for it.
    expect((await rowAfter(setup, { status: 200 })).row?.ok).toBe(true);
  });

  it('403 is ok:false and drops nothing, whatever its reason', async () => {
    const own = await ownPush();
    for (const reason of [
      'BadCertificate',
      'BadCertificateEnvironment',
      'Forbidden',
      'MissingProviderToken',
      'UnrelatedKeyIdInToken',
      'BadEnvironmentKeyIdInToken',
      'BadEnvironmentKeyInToken',
    ]) {
      const { row, token } = await rowAfter(own, { status: 403, reason });
      expect(row).toEqual({ token, ok: false });
      // From the second on it may not be tried at all: hammering helps nobody.
      expect(tries(own, token)[0]).toBeLessThanOrEqual(1);
      expect(tries(own, token)[1]).toBe(0);
    }
  });
});

describe('a token that one environment does not know', () => {
  const setup = usePush();
  beforeAll(async () => {
    await acceptOthers(setup);
  });

  it.each([badDeviceToken, notForTopic])(
    '$reason and the other accepts is delivered there',
    async (refusal) => {
      const { identity, token } = await boundServer(setup);
      setup.sandbox.script(token, refusal);
      expect(await send(setup, identity, { tokens: [token] })).toEqual([{ token, ok: true }]);
      expect(tries(setup, token)).toEqual([1, 1]);
      // Remembered: the next one goes there at once, whether an environment is named or not.
      expect(await send(setup, identity, { tokens: [token] })).toEqual([{ token, ok: true }]);
      expect(await send(setup, identity, { tokens: [token], env: 'sandbox' })).toEqual([{ token, ok: true }]);
      expect(tries(setup, token)).toEqual([1, 3]);
    },
  );

  it('and that is production is asked for in the sandbox', async () => {
    const { identity, token } = await boundServer(setup);
    setup.production.script(token, badDeviceToken);
    expect(await send(setup, identity, { tokens: [token], env: 'production' })).toEqual([
      { token, ok: true },
    ]);
    expect(tries(setup, token)).toEqual([1, 1]);
    expect(await send(setup, identity, { tokens: [token], env: 'production' })).toEqual([
      { token, ok: true },
    ]);
    expect(tries(setup, token)).toEqual([2, 1]);
  });

  it('is looked for again when the environment that was remembered no longer knows it', async () => {
    const { identity, token } = await boundServer(setup);
    setup.sandbox.script(token, badDeviceToken, { status: 200 });
    setup.production.script(token, { status: 200 }, badDeviceToken);
    expect(await send(setup, identity, { tokens: [token] })).toEqual([{ token, ok: true }]);
    expect(await send(setup, identity, { tokens: [token] })).toEqual([{ token, ok: true }]);
    expect(tries(setup, token)).toEqual([2, 2]);
  });

  it.each([badDeviceToken, notForTopic])('$reason nor the other is dropped', async (refusal) => {
    const { identity, token } = await boundServer(setup);
    setup.sandbox.script(token, refusal);
    setup.production.script(token, refusal);
    expect(await send(setup, identity, { tokens: [token] })).toEqual([{ token, ok: false, drop: true }]);
    expect(tries(setup, token)).toEqual([1, 1]);
    expect(await send(setup, identity, { tokens: [token] })).toEqual([{ token, ok: false }]);
    expect(tries(setup, token)).toEqual([1, 1]);
  });

  it('and is dead in the other is dropped', async () => {
    const { identity, token } = await boundServer(setup);
    setup.sandbox.script(token, badDeviceToken);
    setup.production.script(token, { status: 410, reason: 'Unregistered', timestampMs: Date.now() + 5000 });
    expect(await send(setup, identity, { tokens: [token] })).toEqual([{ token, ok: false, drop: true }]);
  });

  it.each<readonly [string, Reaction]>([
    ['500', { status: 500, reason: 'InternalServerError' }],
    ['429', { status: 429, reason: 'TooManyRequests' }],
    ['a reset of its connection', { fault: 'tcp-reset' }],
  ])('while the other cannot be asked (%s) is kept', async (_name, reaction) => {
    const { identity, token } = await boundServer(setup);
    setup.sandbox.script(token, badDeviceToken);
    setup.production.script(token, reaction);
    expect(await send(setup, identity, { tokens: [token] })).toEqual([{ token, ok: false }]);
    setup.sandbox.script(token);
    expect(await reaches(setup, identity, token)).toBe(true);
  });

  it('while the key is bound to that environment is kept', async () => {
    const own = await ownPush();
    for (const reason of [
      'BadEnvironmentKeyIdInToken',
      'BadEnvironmentKeyInToken',
      'BadCertificateEnvironment',
    ]) {
      own.production.scriptAll({ status: 403, reason });
      const { identity, tokens } = await boundServer(own, 2);
      const [token = '', other = ''] = tokens;
      own.sandbox.script(token, badDeviceToken);
      for (let i = 0; i < 4; i++) {
        expect(await send(own, identity, { tokens: [token, other] })).toEqual([
          { token, ok: false },
          { token: other, ok: true },
        ]);
      }
      own.sandbox.script(token);
      expect(await reaches(own, identity, token)).toBe(true);
    }
  });

  it('while nobody listens in the other is kept', async () => {
    const own = await ownPush();
    await own.production.accept('refuse');
    const { row, token, kept } = await rowAfter(own, badDeviceToken);
    expect(row).toEqual({ token, ok: false });
    expect(await kept()).toBe(true);
  });
});

describe('environments that refuse every token', () => {
  it.each([badDeviceToken, notForTopic])('with $reason drop nothing', async (refusal) => {
    const setup = await ownPush();
    const { identity, tokens } = await boundServer(setup, 6);
    setup.sandbox.scriptAll(refusal);
    setup.production.scriptAll(refusal);
    const rows = await send(setup, identity, { tokens });
    expect(rows).toEqual(tokens.map((token) => ({ token, ok: false })));
    setup.sandbox.resetScripts();
    setup.production.resetScripts();
    for (const token of tokens) expect(await reaches(setup, identity, token)).toBe(true);
  });

  it('because the topic is wrong drop nothing', async () => {
    const setup = await ownPush({ apns: { topics: ['com.example.another'] } });
    const { identity, tokens } = await boundServer(setup, 6);
    const rows = await send(setup, identity, { tokens });
    expect(rows).toEqual(tokens.map((token) => ({ token, ok: false })));
  });
});

describe('a hundred tokens with every kind of outcome', () => {
  it('get each their own', async () => {
    const setup = await ownPush();
    const { identity, tokens } = await boundServer(setup, 92);
    const { tokens: foreign } = await boundServer(setup, 4);
    const unbound = Array.from({ length: 4 }, () => makeDeviceToken());
    await acceptOthers(setup);
    const outcomes: readonly (readonly [Answer | undefined, Answer | undefined, Partial<ResultRow>])[] = [
      [undefined, undefined, { ok: true }],
      [undefined, undefined, { ok: true }],
      [
        { status: 410, reason: 'Unregistered', timestampMs: Date.now() + 60_000 },
        undefined,
        { ok: false, drop: true },
      ],
      [{ status: 410, reason: 'Unregistered', timestampMs: 1_700_000_000_000 }, undefined, { ok: false }],
      [{ status: 413, reason: 'PayloadTooLarge' }, undefined, { ok: false }],
      [{ status: 429, reason: 'TooManyRequests' }, undefined, { ok: false }],
      [undefined, undefined, { ok: true }],
      [undefined, undefined, { ok: true }],
    ];
    const expected = tokens.map((token, index) => {
      const [sandbox, production, row] = outcomes[index % outcomes.length] ?? [];
      if (sandbox !== undefined) setup.sandbox.script(token, sandbox);
      if (production !== undefined) setup.production.script(token, production);
      return { token, ...row };
    });
    const [moved = '', lost = ''] = tokens;
    setup.sandbox.script(moved, badDeviceToken);
    setup.sandbox.script(lost, badDeviceToken);
    setup.production.script(lost, badDeviceToken);
    expected[1] = { token: lost, ok: false, drop: true };
    const all = [...tokens, ...foreign, ...unbound].sort();
    const byToken = new Map(
      [...expected, ...[...foreign, ...unbound].map((token) => ({ token, ok: false }))].map((row) => [
        row.token,
        row,
      ]),
    );
    const rows = await send(setup, identity, { tokens: all });
    expect(rows).toEqual(all.map((token) => byToken.get(token)));
    expect([tries(setup, moved), tries(setup, lost)]).toEqual([
      [1, 1],
      [1, 1],
    ]);
    for (const token of tokens.slice(2)) expect(tries(setup, token)).toEqual([1, 0]);
    for (const token of unbound) expect(tries(setup, token)).toEqual([0, 0]);
    for (const token of foreign) expect(tries(setup, token)).toEqual([0, 0]);
  });
});
