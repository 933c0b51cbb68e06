import { eventually, hold, makeDeviceToken, RawSocket, sendRequest } from '@openchambery/testkit';
import type { FakeApns, Held, HostIdentity, Reaction } from '@openchambery/testkit';
import { describe, expect, it } from 'vitest';
import { boundServer, post, reaches, requestsFor, requestsTotal, rowsOf, send } from './support/push-http.ts';
import type { ResultRow } from './support/push-http.ts';
import { layCable } from './support/push-cable.ts';
import { ownPush, ownSurroundings, startAmong, usePush } from './support/push-setup.ts';
import type { PushSetup } from './support/push-setup.ts';

// Push API §3, last paragraph: how pushes get to Apple; which may be sent again is a matter of HTTP/2 (RFC 9113 §8.7).

/** A delivery has five seconds; on a busy machine the answer may take a little longer. */
const DELIVERY_MS = 5000;
const SLACK_MS = 2500;
/** How long a service may seem to be gone after it is back: attempts to connect are spaced out. */
const RETURN = { timeoutMs: 20_000 };

const countOk = (rows: readonly ResultRow[]): number => rows.filter(({ ok }) => ok).length;

/** Resolves when `count` requests wait. */
async function waiting(held: readonly Held[], count: number): Promise<void> {
  await eventually(() => expect(held.reduce((sum, one) => sum + one.waiting, 0)).toBe(count), { everyMs: 5 });
}

/** Delivers once in each environment, so that its connection may open many streams. */
async function warm(setup: PushSetup): Promise<void> {
  for (const env of ['sandbox', 'production'] as const) {
    const { identity, token } = await boundServer(setup);
    await send(setup, identity, { tokens: [token], env });
  }
}

describe('MAX_IN_FLIGHT', () => {
  const setup = usePush({ limits: { MAX_IN_FLIGHT: 4 } });

  it('deliveries go out at once, as many again wait, and the rest is ok:false', async () => {
    await warm(setup);
    const { identity, tokens } = await boundServer(setup, 9);
    const held = hold();
    setup.sandbox.scriptAll(held);
    const before = requestsTotal(setup);
    const answer = send(setup, identity, { tokens });
    await waiting([held], 4);
    // One more server, while there is no room at all: it is answered at once.
    const { identity: other, token } = await boundServer(setup);
    expect(await send(setup, other, { tokens: [token] })).toEqual([{ token, ok: false }]);
    expect(requestsTotal(setup)).toBe(before + 4);
    setup.sandbox.scriptAll(undefined);
    held.release();
    const rows = await answer;
    expect(rows.map((row) => row.token)).toEqual(tokens);
    expect(countOk(rows)).toBe(8);
    for (const row of rows) expect(row).toEqual({ token: row.token, ok: row.ok });
    expect(requestsTotal(setup)).toBe(before + 8);
    for (const { maxOpenStreams } of setup.sandbox.sessions) expect(maxOpenStreams).toBeLessThanOrEqual(4);
    // Nothing was lost, and there is room again.
    expect(countOk(await send(setup, identity, { tokens: tokens.slice(0, 8) }))).toBe(8);
  });

  it('and as many again are all delivered', async () => {
    await warm(setup);
    const { identity, tokens } = await boundServer(setup, 8);
    expect(countOk(await send(setup, identity, { tokens }))).toBe(8);
  });

  it('counts both environments together', async () => {
    await warm(setup);
    const { identity, tokens } = await boundServer(setup, 6);
    const [sandbox, production] = [hold(), hold()];
    setup.sandbox.scriptAll(sandbox);
    setup.production.scriptAll(production);
    const before = requestsTotal(setup);
    const first = send(setup, identity, { tokens: tokens.slice(0, 3) });
    await waiting([sandbox], 3);
    const second = send(setup, identity, { tokens: tokens.slice(3), env: 'production' });
    await waiting([production], 1);
    // That nothing more comes shows in what a later request finds.
    expect(await reaches(setup, identity, makeDeviceToken())).toBe(false);
    expect(requestsTotal(setup)).toBe(before + 4);
    setup.sandbox.resetScripts();
    setup.production.resetScripts();
    sandbox.release();
    production.release();
    expect([countOk(await first), countOk(await second)]).toEqual([3, 3]);
  });

  it('stays below what the service allows', async () => {
    const own = await ownPush({ apns: { firstStreams: 1, maxConcurrentStreams: 5 } });
    const { identity, tokens } = await boundServer(own, 60);
    expect(countOk(await send(own, identity, { tokens }))).toBe(60);
    for (const { maxOpenStreams } of own.sandbox.sessions) expect(maxOpenStreams).toBeLessThanOrEqual(5);
  });
});

describe('a client that does not wait for its answer', () => {
  it('costs nobody anything, and its push is delivered', async () => {
    const setup = await ownPush();
    const { identity, tokens } = await boundServer(setup, 2);
    const [token = '', other = ''] = tokens;
    const held = hold();
    setup.sandbox.script(token, held);
    const { path, body } = sendRequest(identity, { tokens: [token], title: 'nobody waits' });
    const text = JSON.stringify(body);
    const { host, port } = setup.push;
    const raw = await RawSocket.connect({ host, port });
    await raw.write(`POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: ${text.length}\r\n\r\n${text}`);
    await waiting([held], 1);
    raw.reset();
    held.release();
    expect(await reaches(setup, identity, other)).toBe(true);
    await eventually(() => expect(requestsFor(setup.sandbox, token)[0]?.answer).toEqual({ status: 200 }));
  });
});

describe('the provider token', () => {
  /** The different tokens that a service was shown. */
  const shown = (apns: FakeApns): number => new Set(apns.requests.map(({ jwt }) => jwt)).size;

  it('is ES256 with kid, iss and iat, and one serves all', async () => {
    const setup = await ownPush({ apns: { strictTokenUpdates: true } });
    const startedAt = Math.floor(Date.now() / 1000);
    const { identity, tokens } = await boundServer(setup, 30);
    for (let i = 0; i < 3; i++) expect(countOk(await send(setup, identity, { tokens }))).toBe(30);
    expect(shown(setup.sandbox)).toBe(1);
    const jwt = setup.sandbox.requests[0]?.jwt;
    expect(jwt).toMatchObject({ valid: true, kid: setup.key.keyId, iss: setup.key.teamId });
    expect(jwt?.iat).toBeGreaterThanOrEqual(startedAt - 60);
    expect(jwt?.iat).toBeLessThanOrEqual(Math.floor(Date.now() / 1000));
    // It goes over one connection, too.
    expect(setup.sandbox.openSessionsTotal).toBe(1);
  });

  it.each(['ExpiredProviderToken', 'InvalidProviderToken'])(
    'is made anew once on %s, and the push sent once more',
    async (reason) => {
      const setup = await ownPush();
      const { identity, tokens } = await boundServer(setup, 3);
      const [first = '', second = '', third = ''] = tokens;
      const refusal = { status: 403, reason };
      setup.sandbox.script(first, refusal, { status: 200 });
      expect(await send(setup, identity, { tokens: [first] })).toEqual([{ token: first, ok: true }]);
      const [before, after, ...more] = requestsFor(setup.sandbox, first);
      expect(more).toEqual([]);
      expect(after?.jwt?.valid).toBe(true);
      expect(before?.jwt).not.toBe(after?.jwt);
      expect(before?.apnsId).toBe(after?.apnsId);
      // Not again within twenty minutes.
      setup.sandbox.script(second, refusal, { status: 200 });
      expect(await send(setup, identity, { tokens: [second] })).toEqual([{ token: second, ok: false }]);
      expect(setup.sandbox.count(second)).toBe(1);
      setup.sandbox.script(third, refusal);
      expect(await send(setup, identity, { tokens: [third] })).toEqual([{ token: third, ok: false }]);
      expect(shown(setup.sandbox)).toBe(2);
    },
  );

  it('is not made anew by a storm of refusals', async () => {
    const setup = await ownPush();
    const { identity, tokens } = await boundServer(setup, 100);
    setup.sandbox.scriptAll({ status: 403, reason: 'ExpiredProviderToken' });
    for (let i = 0; i < 3; i++) {
      const rows = await send(setup, identity, { tokens });
      expect(rows).toEqual(tokens.map((token) => ({ token, ok: false })));
    }
    expect(shown(setup.sandbox)).toBeLessThanOrEqual(2);
  });

  it('of the wrong team costs no binding', async () => {
    const setup = await ownPush({ limits: { APNS_TEAM_ID: 'AAAAAAAAAA' } });
    const { identity, tokens } = await boundServer(setup, 5);
    const rows = await send(setup, identity, { tokens });
    expect(rows).toEqual(tokens.map((token) => ({ token, ok: false })));
    expect(setup.sandbox.requests.every(({ jwt }) => jwt?.valid === false)).toBe(true);
    expect(shown(setup.sandbox)).toBeLessThanOrEqual(2);
  });
});

// These do little but wait, each with a process of its own.
describe.concurrent('a service that does not answer', { timeout: 40_000 }, () => {
  async function timed(
    setup: PushSetup,
    identity: HostIdentity,
    tokens: readonly string[],
  ): Promise<readonly ResultRow[]> {
    const startedAt = performance.now();
    const rows = await send(setup, identity, { tokens });
    expect(performance.now() - startedAt).toBeLessThan(DELIVERY_MS + SLACK_MS);
    return rows;
  }

  it('to one push costs five seconds, and no binding', async ({ onTestFinished }) => {
    const setup = await ownPush({ onTestFinished });
    const { identity, token } = await boundServer(setup);
    setup.sandbox.script(token, { fault: 'silence' }, { status: 200 });
    expect(await timed(setup, identity, [token])).toEqual([{ token, ok: false }]);
    expect(setup.sandbox.count(token)).toBe(1);
    expect(await reaches(setup, identity, token)).toBe(true);
  });

  it('to anything on its connection costs five seconds, and the connection', async ({ onTestFinished }) => {
    const surroundings = await ownSurroundings({ onTestFinished });
    const cable = await layCable(surroundings.sandbox.url, onTestFinished);
    const setup = await startAmong(surroundings, { limits: { APNS_SANDBOX_URL: cable.url }, onTestFinished });
    const { identity, token } = await boundServer(setup);
    expect(await reaches(setup, identity, token)).toBe(true);
    cable.cut();
    expect(await timed(setup, identity, [token])).toEqual([{ token, ok: false }]);
    await eventually(async () => expect(await reaches(setup, identity, token)).toBe(true));
    expect(setup.sandbox.openSessionsTotal).toBeGreaterThanOrEqual(2);
  });

  it('to connections costs five seconds, and no binding', async ({ onTestFinished }) => {
    const setup = await ownPush({ onTestFinished });
    const { identity, token } = await boundServer(setup);
    await setup.sandbox.accept('hang');
    expect(await timed(setup, identity, [token])).toEqual([{ token, ok: false }]);
    await setup.sandbox.accept('open');
    await eventually(async () => expect(await reaches(setup, identity, token)).toBe(true), RETURN);
  });

  it.for(['refuse', 'reset'] as const)(
    'but %ss connections is ok:false, and comes back',
    async (mode, { onTestFinished }) => {
      const setup = await ownPush({ onTestFinished });
      const { identity, token } = await boundServer(setup);
      await setup.sandbox.accept(mode);
      expect(await timed(setup, identity, [token])).toEqual([{ token, ok: false }]);
      await setup.sandbox.accept('open');
      await eventually(async () => expect(await reaches(setup, identity, token)).toBe(true), RETURN);
    },
  );

  it('to one push does not keep the others from being delivered', async ({ onTestFinished }) => {
    const setup = await ownPush({ onTestFinished });
    const { identity, tokens } = await boundServer(setup, 5);
    const silent = tokens[2] ?? '';
    await send(setup, identity, { tokens: [tokens[0] ?? ''] });
    setup.sandbox.script(silent, { fault: 'silence' });
    const answer = timed(setup, identity, tokens);
    // The others have arrived long before the answer does.
    await setup.sandbox.waitForRequests(6, 4000);
    const { identity: stranger, token } = await boundServer(setup);
    expect(await reaches(setup, stranger, token)).toBe(true);
    expect(await answer).toEqual(tokens.map((one) => ({ token: one, ok: one !== silent })));
  });
});

describe('a connection that fails', () => {
  const setup = usePush();

  async function deliver(
    ...reactions: readonly Reaction[]
  ): Promise<{ readonly ok: boolean | undefined; readonly tries: number }> {
    const { identity, token } = await boundServer(setup);
    setup.sandbox.script(token, ...reactions);
    const [row] = rowsOf(await post(setup, sendRequest(identity, { tokens: [token], title: 'connection' })));
    const tries = setup.sandbox.count(token);
    const ids = new Set(requestsFor(setup.sandbox, token).map(({ apnsId }) => apnsId));
    expect(ids.size, 'a push that is sent again keeps its id').toBe(1);
    // Whatever happened, the binding is there, and the next push gets through.
    setup.sandbox.script(token);
    expect(await reaches(setup, identity, token)).toBe(true);
    return { ok: row?.ok, tries };
  }

  it.each<readonly [string, Reaction]>([
    ['the stream is refused', { fault: 'rst-stream', code: 7 }],
    ['GOAWAY says it was not processed', { fault: 'goaway', lastStream: 'below' }],
  ])('is tried again when %s', async (_name, fault) => {
    expect(await deliver(fault, { status: 200 })).toEqual({ ok: true, tries: 2 });
  });

  it.each<readonly [string, Reaction]>([
    ['the stream is reset for another reason', { fault: 'rst-stream', code: 2 }],
    ['TCP is reset', { fault: 'tcp-reset' }],
    ['TCP is closed', { fault: 'tcp-fin' }],
    ['GOAWAY with an error counts it in', { fault: 'goaway', code: 2, lastStream: 'at' }],
  ])('is not tried again when it may have been processed: %s', async (_name, fault) => {
    expect(await deliver(fault, { status: 200 })).toEqual({ ok: false, tries: 1 });
  });

  it('by GOAWAY in peace is waited for, and replaced', async () => {
    const before = setup.sandbox.openSessionsTotal;
    const answer = { status: 200, delayMs: 50 };
    expect(await deliver({ fault: 'goaway', answer })).toEqual({ ok: true, tries: 1 });
    expect(setup.sandbox.openSessionsTotal).toBeGreaterThan(before);
  });
});
