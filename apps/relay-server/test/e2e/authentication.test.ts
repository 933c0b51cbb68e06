import { createHash } from 'node:crypto';
import { makeIdentity, signedQuery, signText, TestClient, TestHost, uniqueTs } from '@openchambery/testkit';
import type { HostIdentity, SignedQueryOptions } from '@openchambery/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { roomy, useRelay } from './support/relay.ts';
import { attachData, connectHost, expectFlows, expectLive, refusal } from './support/sockets.ts';

// Layer 1 §4, "Authentication": what is signed, by what key, and when.

const relay = useRelay({ limits: roomy });
const identity = makeIdentity();
const other = makeIdentity();

// One live Host with one pending Client: nothing that is refused here may touch either.
let live: TestHost;
let pending: TestClient;
let connectionId = '';
beforeAll(async () => {
  live = await TestHost.connect(relay.url, { identity });
  pending = await TestClient.connect(relay.url, identity.serverId);
  connectionId = await live.nextId('connected');
});
afterAll(() => {
  live.control.terminate();
  pending.terminate();
});

type Role = SignedQueryOptions['role'];
type Sign = (options?: Partial<SignedQueryOptions>) => string;

function signerFor(role: Role): Sign {
  return (options = {}) =>
    signedQuery({ identity, role, ...(role === 'host-data' ? { connectionId } : {}), ...options });
}

/** The text that this role's signature covers. */
function textFor(role: Role, ts: string, serverId: string): string {
  return `${ts}.${serverId}.${role}.${role === 'host-data' ? connectionId : ''}`;
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('base64url');
const base64url = (text: string): string => Buffer.from(text).toString('base64url');

/** A query that is right in itself, under a key text of the caller's making. */
function withKeyText(sign: Sign, role: Role, keyText: string): string {
  const serverId = sha256(keyText);
  const ts = String(uniqueTs());
  const overrides = { serverId, pk: base64url(keyText) };
  return sign({ ts, overrides, signedText: textFor(role, ts, serverId) });
}

function keyText(key: HostIdentity['publicJwk'], template: string): string {
  return template.replace('X', key.x).replace('Y', key.y);
}

const CANONICAL = '{"crv":"P-256","kty":"EC","x":"X","y":"Y"}';

function sigOf(query: string): string {
  return new URLSearchParams(query).get('sig') ?? '';
}

function replaceSig(query: string, change: (sig: string) => string): string {
  const sig = sigOf(query);
  return query.replace(sig, change(sig));
}

function flipped(base64: string, index: number): string {
  const bytes = Buffer.from(base64, 'base64url');
  bytes[index] = (bytes[index] ?? 0) ^ 1;
  return bytes.toString('base64url');
}

const roles: readonly Role[] = ['host-control', 'host-data'];

describe.each(roles)('%s', (role) => {
  const sign = signerFor(role);

  async function expectUnauthentic(query: string): Promise<string> {
    const { code, reason } = await refusal(relay, query);
    expect(code, reason).toBe(4010);
    expect(reason).not.toContain(sigOf(query) || 'no signature');
    expect(reason).not.toContain(new URLSearchParams(query).get('pk'));
    return reason;
  }

  it.each<[string, () => string]>([
    ['by another key', () => sign({ overrides: { sig: signText(other, textFor(role, '1', 'x')) } })],
    ['over another ts', () => sign({ signedText: textFor(role, '1700000000000', identity.serverId) })],
    ['over another serverId', () => signWithTs(sign, (ts) => textFor(role, ts, other.serverId))],
    [
      'over the other role',
      () =>
        signWithTs(
          sign,
          (ts) =>
            `${ts}.${identity.serverId}.${role === 'host-data' ? 'host-control' : 'host-data'}.${role === 'host-data' ? connectionId : ''}`,
        ),
    ],
    [
      'over another connectionId',
      () => signWithTs(sign, (ts) => `${ts}.${identity.serverId}.${role}.AAAAAAAAAAAAAAAAAAAAAA`),
    ],
    [
      'over a text with a line end',
      () => signWithTs(sign, (ts) => `${textFor(role, ts, identity.serverId)}\n`),
    ],
    ['with a bit of r flipped', () => replaceSig(sign(), (sig) => flipped(sig, 3))],
    ['with a bit of s flipped', () => replaceSig(sign(), (sig) => flipped(sig, 40))],
    ['of zeros', () => sign({ overrides: { sig: Buffer.alloc(64).toString('base64url') } })],
    ['of ones', () => sign({ overrides: { sig: Buffer.alloc(64, 255).toString('base64url') } })],
    ['of 63 bytes', () => sign({ overrides: { sig: Buffer.alloc(63, 7).toString('base64url') } })],
    ['of 65 bytes', () => sign({ overrides: { sig: Buffer.alloc(65, 7).toString('base64url') } })],
    ['padded', () => replaceSig(sign(), (sig) => `${sig}==`)],
    ['in standard base64', () => sign({ overrides: { sig: Buffer.alloc(64, 0xfb).toString('base64') } })],
    ['that is not canonical', () => replaceSig(sign(), (sig) => nonCanonical(sig))],
    ['in DER', () => sign({ overrides: { sig: Buffer.alloc(70, 0x30).toString('base64url') } })],
  ])('with a signature %s is 4010', async (_name, makeQuery) => {
    await expectUnauthentic(makeQuery());
  });

  it.each<[string, () => string]>([
    ['with its members in another order', () => '{"kty":"EC","crv":"P-256","x":"X","y":"Y"}'],
    ['with spaces', () => '{"crv": "P-256", "kty": "EC", "x": "X", "y": "Y"}'],
    ['with one more member', () => '{"crv":"P-256","kty":"EC","x":"X","y":"Y","alg":"ES256"}'],
    ['with a member twice', () => '{"crv":"P-256","kty":"EC","x":"X","x":"X","y":"Y"}'],
    ['with a line end', () => `${CANONICAL}\n`],
    ['of another curve', () => '{"crv":"P-384","kty":"EC","x":"X","y":"Y"}'],
    ['of another type', () => '{"crv":"P-256","kty":"OKP","x":"X","y":"Y"}'],
    ['without y', () => '{"crv":"P-256","kty":"EC","x":"X"}'],
    ['with an escape', () => '{"crv":"P-256","kty":"EC","x":"X","y":"Y"}'.replace('P', '\\u0050')],
    ['that is not JSON', () => 'P-256'],
    ['that is null', () => 'null'],
    ['that is empty JSON', () => '{}'],
  ])('with a key text %s is 4010', async (_name, template) => {
    await expectUnauthentic(withKeyText(sign, role, keyText(identity.publicJwk, template())));
  });

  it.each<[string, (key: HostIdentity['publicJwk']) => Partial<HostIdentity['publicJwk']>]>([
    ['off the curve', ({ y }) => ({ y: flipped(y, 31) })],
    ['of zeros', () => ({ x: 'A'.repeat(43), y: 'A'.repeat(43) })],
    ['beyond the field', () => ({ x: `${'_'.repeat(42)}8`, y: `${'_'.repeat(42)}8` })],
    ['with a short x', ({ x }) => ({ x: x.slice(0, 42) })],
    ['with a long y', ({ y }) => ({ y: `${y}A` })],
    ['with a padded x', ({ x }) => ({ x: `${x}=` })],
    ['with an x that is not canonical', ({ x }) => ({ x: nonCanonical(x) })],
    ['with a quote in it', ({ x }) => ({ x: `${x.slice(0, 42)}"` })],
  ])('with a point %s is 4010', async (_name, change) => {
    const key = { ...identity.publicJwk, ...change(identity.publicJwk) };
    await expectUnauthentic(withKeyText(sign, role, keyText(key, CANONICAL)));
  });

  it('with a pk that is not canonical is 4010', async () => {
    await expectUnauthentic(sign({ overrides: { pk: `${identity.pk}=` } }));
    await expectUnauthentic(sign({ overrides: { pk: `${identity.pk}.` } }));
  });

  it('with a key that is not the serverId’s is 4010', async () => {
    const ts = String(uniqueTs());
    const signedText = textFor(role, ts, identity.serverId);
    const query = sign({ identity: other, ts, signedText, overrides: { serverId: identity.serverId } });
    await expectUnauthentic(query);
  });

  it.each([
    ['leading zero', () => `0${uniqueTs()}`],
    ['17 digits', () => `${uniqueTs()}0000`],
    ['sign', () => `-${uniqueTs()}`],
    ['plus', () => `+${uniqueTs()}`],
    ['fraction', () => `${uniqueTs()}.5`],
    ['exponent', () => '1.8e12'],
    ['hexadecimal', () => `0x${uniqueTs().toString(16)}`],
    ['space', () => ` ${uniqueTs()}`],
    ['words', () => 'now'],
    ['other digits', () => '١٧٠٠٠٠٠٠٠٠٠٠٠'],
  ])('with a ts that has a %s is 4010', async (_name, ts) => {
    await expectUnauthentic(sign({ ts: ts() }));
  });

  it('with 16 digits is well-formed, but far ahead', async () => {
    const reason = await expectUnauthentic(sign({ ts: '9999999999999999' }));
    expect(reason).toMatch(/timestamp/u);
  });

  it.each([
    [-62_000, 'behind'],
    [-312_000, 'behind'],
    [-86_400_000, 'behind'],
    [63_000, 'ahead'],
    [3_600_000, 'ahead'],
  ])('with a clock %d ms off is told by how much', async (offMs, direction) => {
    const reason = await expectUnauthentic(sign({ ts: Date.now() + offMs }));
    const match = /timestamp (\d+) s (behind|ahead)/u.exec(reason);
    expect(match, reason).not.toBeNull();
    expect(match?.[2]).toBe(direction);
    expect(Math.abs(Number(match?.[1]) - Math.abs(offMs) / 1000)).toBeLessThanOrEqual(3);
  });

  it('disturbs neither the live control nor the pending Client', async () => {
    await expectUnauthentic(sign({ signedText: 'forged' }));
    await expectLive(relay, live);
    await pending.roundTrip();
  });
});

describe('the skew', () => {
  it.each([-50_000, -58_000, 50_000, 58_000])('takes a clock %d ms off', async (offMs) => {
    await connectHost(relay, { ts: Date.now() + offMs });
  });

  const strict = useRelay({ limits: { ...roomy, TIMESTAMP_SKEW_MS: 8000, REPLAY_MS: 16_000 } });

  it('is TIMESTAMP_SKEW_MS', async () => {
    await connectHost(strict, { ts: Date.now() - 4000 });
    await connectHost(strict, { ts: Date.now() + 7500 });
    for (const offMs of [-8500, 13_000]) {
      const query = signedQuery({ identity, role: 'host-control', ts: Date.now() + offMs });
      expect((await refusal(strict, query)).code).toBe(4010);
    }
  });
});

describe('a right signature', () => {
  it('attaches the pending Client that all the refused ones named', async () => {
    const data = await attachData(live, connectionId);
    await expectFlows({ client: pending, data });
  });
});

function signWithTs(sign: Sign, signedText: (ts: string) => string): string {
  const ts = String(uniqueTs());
  return sign({ ts, signedText: signedText(ts) });
}

function nonCanonical(text: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  return text.slice(0, -1) + alphabet[alphabet.indexOf(text.slice(-1)) + 1];
}
