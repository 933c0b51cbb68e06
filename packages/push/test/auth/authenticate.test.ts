import nodeCrypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { KeyCache } from '@openchambery/daemon';
import { FakeClock, type HostIdentity, makeIdentity, signText } from '@openchambery/testkit';
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { authenticate, type VerifiedRequest } from '../../src/auth/authenticate.ts';
import type { SignedRequest } from '../../src/request/envelope.ts';
import { isRefusal, type Refusal } from '../../src/request/refusal.ts';
import { NOW_MS, POINT } from '../support/bodies.ts';

// Watched in Node itself, as the module under test may be loaded already: files share a process.
const createPublicKey = vi.spyOn(nodeCrypto, 'createPublicKey');
syncBuiltinESMExports();
afterAll(() => {
  createPublicKey.mockRestore();
  syncBuiltinESMExports();
});

/** The order of the group of P-256 (SP 800-186 section 3.2.1.3). */
const ORDER = BigInt('0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551');
const SKEW_MS = 300_000;

const identity = makeIdentity();
let clock: FakeClock;
let keys: KeyCache;

beforeEach(() => {
  createPublicKey.mockClear();
  clock = new FakeClock(NOW_MS);
  keys = new KeyCache(2);
});

interface Parts {
  readonly ts: number;
  readonly signedText: string;
  readonly sig: string;
  readonly publicKeyJwk: object;
}

function request(parts: Partial<Parts> = {}, signer: HostIdentity = identity): SignedRequest<string> {
  const { ts = clock.epochMs(), signedText = `${ts}.text ä` } = parts;
  const { sig = signText(signer, signedText), publicKeyJwk = signer.publicJwk } = parts;
  const envelope = { ts, sig, publicKeyJwk } as SignedRequest<string>['envelope'];
  return { envelope, signedText, content: 'content' };
}

function check(signed: SignedRequest<string>): VerifiedRequest<string> | Refusal {
  return authenticate(signed, { clock, keys, timestampSkewMs: SKEW_MS });
}

function refusal(signed: SignedRequest<string>): Refusal {
  const result = check(signed);
  if (isRefusal(result)) return result;
  throw new Error('verified');
}

/** The other signature that verifies wherever this one does. */
function twin(sig: string): string {
  const bytes = Buffer.from(sig, 'base64url');
  const s = BigInt(`0x${bytes.toString('hex', 32)}`);
  const other = (ORDER - s).toString(16).padStart(64, '0');
  return Buffer.concat([bytes.subarray(0, 32), Buffer.from(other, 'hex')]).toString('base64url');
}

describe('a genuine request', () => {
  it('tells who signed what, and when', () => {
    const signed = request();
    expect(check(signed)).toEqual({
      serverId: identity.serverId,
      ts: NOW_MS,
      textHash: nodeCrypto.createHash('sha256').update(signed.signedText).digest(),
      content: 'content',
    });
  });

  it('is of the same server whatever the order of its key', () => {
    const { crv, kty, x, y } = identity.publicJwk;
    expect(check(request({ publicKeyJwk: { y, kty, x, crv } }))).toMatchObject({
      serverId: identity.serverId,
    });
  });

  it('verifies again: replays are the affair of the table', () => {
    const signed = request();
    expect(check(signed)).toEqual(check(signed));
  });
});

describe('the timestamp', () => {
  it.each([0, SKEW_MS, -SKEW_MS])('may be off by %d ms', (offMs) => {
    expect(isRefusal(check(request({ ts: NOW_MS + offMs })))).toBe(false);
  });

  it.each([
    [SKEW_MS + 1, 'timestamp: 300 s ahead of the push relay'],
    [-SKEW_MS - 1, 'timestamp: 300 s behind the push relay'],
    [-312_000, 'timestamp: 312 s behind the push relay'],
  ])('may not be off by %d ms', (offMs, detail) => {
    expect(refusal(request({ ts: NOW_MS + offMs }))).toEqual({ refusal: 'timestamp', detail });
  });

  it.each([0, -1, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER])('may not be %d', (ts) => {
    expect(refusal(request({ ts })).refusal).toBe('timestamp');
  });

  it('runs with the wall clock', () => {
    const signed = request();
    clock.advance(SKEW_MS);
    expect(isRefusal(check(signed))).toBe(false);
    clock.jumpEpoch(1);
    expect(refusal(signed).refusal).toBe('timestamp');
    clock.jumpEpoch(-2 * SKEW_MS - 2);
    expect(refusal(signed).refusal).toBe('timestamp');
  });

  it('costs no key and no verification when it is off', () => {
    expect(refusal(request({ ts: 0, sig: 'A'.repeat(86) })).refusal).toBe('timestamp');
    expect(createPublicKey).not.toHaveBeenCalled();
  });
});

describe('the key', () => {
  const bytes = (fill: number): string => Buffer.alloc(32, fill).toString('base64url');

  it.each([
    ['off the curve', { ...POINT, y: POINT.x }],
    ['the origin', { ...POINT, x: bytes(0), y: bytes(0) }],
    ['beyond the field', { ...POINT, x: bytes(255), y: bytes(255) }],
    ['one bit beside a point', { ...POINT, y: flipped(POINT.y) }],
  ])('is refused: %s', (_, publicKeyJwk) => {
    expect(refusal(request({ publicKeyJwk }))).toEqual({
      refusal: 'invalid_request',
      detail: 'publicKeyJwk: not a point on P-256',
    });
    expect(keys.size).toBe(0);
  });

  it('has to be the one that signed', () => {
    const { publicJwk } = makeIdentity();
    expect(refusal(request({ publicKeyJwk: publicJwk }))).toEqual({
      refusal: 'invalid_signature',
      detail: 'sig: does not verify',
    });
  });

  it('is imported once for a server that comes again', () => {
    for (let count = 0; count < 5; count++) check(request({ ts: NOW_MS + count }));
    expect(createPublicKey).toHaveBeenCalledTimes(1);
    expect(keys.size).toBe(1);
  });

  it('is kept for as many servers as the cache holds', () => {
    const others = [makeIdentity(), makeIdentity(), makeIdentity()];
    for (const other of others) expect(isRefusal(check(request({}, other)))).toBe(false);
    expect(keys.size).toBe(2);
  });

  it('is not kept of a stranger whose signature does not verify', () => {
    refusal(request({ sig: 'A'.repeat(86) }));
    expect(keys.size).toBe(0);
  });

  function flipped(coordinate: string): string {
    const point = Buffer.from(coordinate, 'base64url');
    point.writeUInt8(point.readUInt8(31) ^ 1, 31);
    return point.toString('base64url');
  }
});

describe('the signature', () => {
  it('holds for its text alone', () => {
    const sig = signText(identity, 'another text');
    expect(refusal(request({ sig }))).toEqual({
      refusal: 'invalid_signature',
      detail: 'sig: does not verify',
    });
  });

  it('has a twin, which verifies as the same request', () => {
    const signed = request();
    const other = request({ sig: twin(signed.envelope.sig) });
    expect(other.envelope.sig).not.toBe(signed.envelope.sig);
    expect(check(other)).toEqual(check(signed));
  });

  it('is over the text in UTF-8', () => {
    const signedText = `${NOW_MS}.🔔 ünïcödé`;
    const signature = nodeCrypto.sign('sha256', Buffer.from(signedText, 'utf8'), {
      key: identity.privateKey,
      dsaEncoding: 'ieee-p1363',
    });
    expect(isRefusal(check(request({ signedText, sig: signature.toString('base64url') })))).toBe(false);
  });

  it.each([
    ['zeros', Buffer.alloc(64)],
    ['ones', Buffer.alloc(64, 255)],
    ['r = 0', Buffer.concat([Buffer.alloc(32), Buffer.alloc(32, 1)])],
    ['s = 0', Buffer.concat([Buffer.alloc(32, 1), Buffer.alloc(32)])],
    ['the order of the group', Buffer.from(ORDER.toString(16).repeat(2), 'hex')],
  ])('may not be %s', (_, signature) => {
    expect(refusal(request({ sig: signature.toString('base64url') })).refusal).toBe('invalid_signature');
  });

  it.each(['', 'A', `${'A'.repeat(85)}B`, 'A'.repeat(87), '!'.repeat(86)])(
    'that is not canonical never verifies: %j',
    (sig) => {
      expect(refusal(request({ sig })).refusal).toBe('invalid_signature');
    },
  );
});
