import { createPrivateKey, createPublicKey, verify } from 'node:crypto';
import { silentLogger } from '@openchambery/daemon';
import { FakeClock, makeApnsKey } from '@openchambery/testkit';
import { describe, expect, it } from 'vitest';
import { ProviderToken } from '../../src/apns/provider-token.ts';

const MINUTE_MS = 60_000;
const { p8, publicKey } = makeApnsKey();
const key = createPrivateKey(p8);

class Bench {
  readonly clock = new FakeClock();
  readonly token: ProviderToken;
  #onReady: (() => void)[] = [];

  constructor(random = 0) {
    this.token = new ProviderToken({
      key,
      keyId: 'KEYID67890',
      teamId: 'TEAMID7890',
      clock: this.clock,
      logger: silentLogger,
      random: () => random,
      onReady: () => {
        for (const resolve of this.#onReady.splice(0)) resolve();
      },
    });
  }

  /** The token there is, once one is ready. */
  async ready(): Promise<string> {
    const minted = new Promise<void>((resolve) => this.#onReady.push(resolve));
    let bearer = this.token.bearer();
    if (bearer === undefined) {
      await minted;
      bearer = this.token.bearer();
    }
    if (bearer === undefined) throw new Error('no token');
    return bearer;
  }

  /** The next one to become ready. */
  async renewed(): Promise<string> {
    await new Promise<void>((resolve) => this.#onReady.push(resolve));
    return this.ready();
  }
}

function claims(bearer: string): Record<string, unknown> {
  const [, payload = ''] = bearer.split('.');
  return JSON.parse(Buffer.from(payload, 'base64url').toString()) as Record<string, unknown>;
}

describe('ProviderToken', () => {
  it('is an ES256 JWT with kid, iss and iat in seconds, and nothing else', async () => {
    const bench = new Bench();
    const bearer = await bench.ready();
    expect(bearer.startsWith('bearer ')).toBe(true);
    const [head = '', payload = '', signature = ''] = bearer.slice(7).split('.');
    expect(JSON.parse(Buffer.from(head, 'base64url').toString())).toEqual({
      alg: 'ES256',
      kid: 'KEYID67890',
    });
    expect(claims(bearer)).toEqual({ iss: 'TEAMID7890', iat: Math.floor(bench.clock.epochMs() / 1000) });
    const bytes = Buffer.from(signature, 'base64url');
    const input = Buffer.from(`${head}.${payload}`);
    expect(
      verify(
        'sha256',
        input,
        {
          key: createPublicKey(publicKey.export({ type: 'spki', format: 'pem' })),
          dsaEncoding: 'ieee-p1363',
        },
        bytes,
      ),
    ).toBe(true);
  });

  it('is minted once however many ask', async () => {
    const bench = new Bench();
    const all = await Promise.all(Array.from({ length: 1000 }, () => bench.ready()));
    expect(new Set(all).size).toBe(1);
    expect(bench.token.mintedCount).toBe(1);
  });

  it.each([
    [0, 40],
    [0.5, 45],
    [0.999999, 50],
  ])('with jitter %d is renewed after %d minutes, and used while it is', async (random, minutes) => {
    const bench = new Bench(random);
    const first = await bench.ready();
    bench.clock.advance(minutes * MINUTE_MS - 1000);
    expect(bench.token.bearer()).toBe(first);
    expect(bench.token.mintedCount).toBe(1);
    bench.clock.advance(1000);
    const renewed = bench.renewed();
    expect(bench.token.bearer()).toBe(first);
    expect(bench.token.bearer()).toBe(first);
    expect(await renewed).not.toBe(first);
    expect(bench.token.mintedCount).toBe(2);
  });

  it('is not used at the age of an hour', async () => {
    const bench = new Bench();
    await bench.ready();
    bench.clock.advance(59 * MINUTE_MS);
    expect(bench.token.bearer()).toBeUndefined();
    expect(bench.token.bearer()).toBeUndefined();
    await bench.ready();
    expect(bench.token.mintedCount).toBe(2);
  });

  it('is renewed once when it is refused, whoever else was refused with it', async () => {
    const bench = new Bench();
    const first = await bench.ready();
    expect(bench.token.refuse(first)).toBe('renewing');
    expect(bench.token.refuse(first)).toBe('renewing');
    expect(bench.token.bearer()).toBeUndefined();
    const second = await bench.ready();
    expect(second).not.toBe(first);
    expect(bench.token.refuse(first)).toBe('renewed');
    expect(bench.token.refuse(second)).toBe('exhausted');
    expect(bench.token.bearer()).toBe(second);
    expect(bench.token.mintedCount).toBe(2);
  });

  it('may be renewed by force again after 20 minutes', async () => {
    const bench = new Bench();
    bench.token.refuse(await bench.ready());
    const second = await bench.ready();
    bench.clock.advance(20 * MINUTE_MS - 1);
    expect(bench.token.refuse(second)).toBe('exhausted');
    bench.clock.advance(1);
    expect(bench.token.refuse(second)).toBe('renewing');
    await bench.ready();
    expect(bench.token.mintedCount).toBe(3);
  });

  it('waits for the token being made when the old one is refused meanwhile', async () => {
    const bench = new Bench();
    const first = await bench.ready();
    bench.clock.advance(40 * MINUTE_MS);
    const renewed = bench.renewed();
    expect(bench.token.bearer()).toBe(first);
    expect(bench.token.refuse(first)).toBe('renewing');
    expect(bench.token.bearer()).toBeUndefined();
    const second = await renewed;
    expect(bench.token.mintedCount).toBe(2);
    // That was no renewal by force: there is one left.
    expect(bench.token.refuse(second)).toBe('renewing');
    await bench.ready();
  });

  it('stays for 20 minutes once Apple has seen too many', async () => {
    const bench = new Bench();
    const first = await bench.ready();
    bench.clock.advance(39 * MINUTE_MS);
    bench.token.hold();
    bench.clock.advance(20 * MINUTE_MS - 1);
    expect(bench.token.bearer()).toBe(first);
    expect(bench.token.refuse(first)).toBe('exhausted');
    expect(bench.token.mintedCount).toBe(1);
    bench.clock.advance(1);
    expect(await bench.ready()).not.toBe(first);
  });

  it.each([
    ['forward by 40 minutes, or the machine has slept,', 40 * MINUTE_MS],
    ['back by more than a minute', -MINUTE_MS - 1],
  ])('is made anew when the wall clock goes %s', async (_name, ms) => {
    const bench = new Bench();
    const first = await bench.ready();
    bench.clock.jumpEpoch(ms);
    expect(bench.token.bearer()).toBeUndefined();
    const second = await bench.ready();
    expect(second).not.toBe(first);
    expect(claims(second)['iat']).toBe(Math.floor(bench.clock.epochMs() / 1000));
    // The clock goes to and fro: that must not mint a token each time.
    bench.clock.jumpEpoch(-61 * MINUTE_MS);
    expect(bench.token.bearer()).toBe(second);
    expect(bench.token.mintedCount).toBe(2);
    bench.clock.advance(20 * MINUTE_MS);
    await bench.ready();
    expect(bench.token.mintedCount).toBe(3);
  });

  it('stands small corrections of the wall clock', async () => {
    const bench = new Bench();
    const first = await bench.ready();
    bench.clock.jumpEpoch(-MINUTE_MS + 1000);
    expect(bench.token.bearer()).toBe(first);
    bench.clock.jumpEpoch(30 * MINUTE_MS);
    expect(bench.token.bearer()).toBe(first);
  });
});
