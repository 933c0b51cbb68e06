import nodeCrypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import {
  createHostIdentity,
  type HostIdentity,
  type HostUpgrade,
  signUpgrade,
  type UpgradeToSign,
} from '@openchambery/protocol';
import { FakeClock } from '@openchambery/testkit';
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import identityVectors from '@openchambery/protocol/vectors/identities.json' with { type: 'json' };
import signatureVectors from '@openchambery/protocol/vectors/signatures.json' with { type: 'json' };
import { type AuthenticationResult, HostAuthenticator } from '../../src/upgrade/authenticate.ts';
import { ReplayCache } from '../../src/upgrade/replay-cache.ts';

// Watched in Node itself, as the module under test may be loaded already: files share a process.
const createPublicKey = vi.spyOn(nodeCrypto, 'createPublicKey');
syncBuiltinESMExports();
afterAll(() => {
  createPublicKey.mockRestore();
  syncBuiltinESMExports();
});

const timestampSkewMs = 60_000;
const connectionId = 'AAECAwQFBgcICQoLDA0ODw';
const ok: AuthenticationResult = { ok: true };

const host = await createHostIdentity();
const otherHost = await createHostIdentity();
let clock: FakeClock;
let replay: ReplayCache;
let authenticator: HostAuthenticator;

beforeEach(() => {
  createPublicKey.mockClear();
  clock = new FakeClock();
  replay = new ReplayCache({ clock, replayMs: 2 * timestampSkewMs, maxEntries: 100 });
  authenticator = new HostAuthenticator({ clock, timestampSkewMs, replay, maxCachedKeys: 2 });
});

function authenticate(upgrade: HostUpgrade): AuthenticationResult {
  return authenticator.authenticate({ upgrade, ip: '192.0.2.1' });
}

function sign(identity: HostIdentity, upgrade: Partial<UpgradeToSign> = {}): Promise<HostUpgrade> {
  return signUpgrade(identity, { role: 'host-control', ts: clock.epochMs(), ...upgrade } as UpgradeToSign);
}

function refusal(reason: string): AuthenticationResult {
  return { ok: false, detail: `auth: ${reason}` };
}

describe('a genuine upgrade', () => {
  it('is taken in both roles at the same moment', async () => {
    expect(authenticate(await sign(host))).toEqual(ok);
    expect(authenticate(await sign(host, { role: 'host-data', connectionId }))).toEqual(ok);
    expect(authenticate(await sign(otherHost))).toEqual(ok);
  });

  it('is refused when it comes again', async () => {
    const upgrade = await sign(host);
    expect(authenticate(upgrade)).toEqual(ok);
    expect(authenticate(upgrade)).toEqual(refusal('replayed upgrade'));
  });

  it('is refused when the same is signed anew', async () => {
    // ECDSA signatures differ each time; what counts is what they are over.
    expect(authenticate(await sign(host))).toEqual(ok);
    expect(authenticate(await sign(host))).toEqual(refusal('replayed upgrade'));
  });

  it('cannot be used a second time at any later moment', async () => {
    const upgrade = await sign(host, { ts: clock.epochMs() + timestampSkewMs });
    expect(authenticate(upgrade)).toEqual(ok);
    clock.advance(2 * timestampSkewMs);
    expect(authenticate(upgrade)).toEqual(refusal('replayed upgrade'));
    clock.advance(1);
    expect(authenticate(upgrade)).toEqual(refusal('timestamp 60 s behind the relay'));
  });
});

describe('the timestamp', () => {
  it.each([
    [timestampSkewMs, undefined],
    [-timestampSkewMs, undefined],
    [timestampSkewMs + 1, 'timestamp 60 s ahead of the relay'],
    [-timestampSkewMs - 1, 'timestamp 60 s behind the relay'],
    [-312_000, 'timestamp 312 s behind the relay'],
    [312_000, 'timestamp 312 s ahead of the relay'],
  ])('may be off by the skew and no more: %d ms', async (offsetMs, reason) => {
    const result = authenticate(await sign(host, { ts: clock.epochMs() + offsetMs }));
    expect(result).toEqual(reason === undefined ? ok : refusal(reason));
  });

  it.each(['', 'now', '01', '-1', '1e12', '1.5', ' 1', '10000000000000000'])(
    'is refused as %j',
    async (ts) => {
      expect(authenticate(await sign(host, { ts }))).toEqual(
        refusal('timestamp is not decimal milliseconds since the epoch'),
      );
    },
  );

  it.each(['0', '9999999999999999'])('may not be as far off as %s', async (ts) => {
    const result = authenticate(await sign(host, { ts }));
    expect(result).toMatchObject({
      ok: false,
      detail: expect.stringMatching(/^auth: timestamp \d+ s (behind|ahead)/),
    });
  });

  it('is looked at before anything else', () => {
    const upgrade = { role: 'host-control', serverId: 'x', ts: '', sig: '', pk: '' } as const;
    expect(authenticate(upgrade)).toEqual(refusal('timestamp is not decimal milliseconds since the epoch'));
  });
});

describe('the public key', () => {
  it.each(identityVectors.badPublicKeys)('is refused: $name', async ({ pk, fault }) => {
    const text = Buffer.from(pk, 'base64url');
    const serverId = nodeCrypto.createHash('sha256').update(text).digest('base64url');
    const upgrade = { ...(await sign(host)), pk, serverId };
    expect(authenticate(upgrade)).toEqual(
      refusal(
        fault === 'form' ? 'public key is not a canonical P-256 key' : 'public key is not a point on P-256',
      ),
    );
    expect(authenticator.cachedKeyCount).toBe(0);
  });

  it('has to be that of the serverId', async () => {
    const { serverId } = otherHost;
    expect(authenticate({ ...(await sign(host)), serverId })).toEqual(
      refusal('serverId is not that of the public key'),
    );
  });

  it('has to be that of the serverId although the Host is known', async () => {
    authenticate(await sign(host));
    clock.advance(1);
    const { pk } = otherHost;
    expect(authenticate({ ...(await sign(host)), pk })).toEqual(
      refusal('serverId is not that of the public key'),
    );
    expect(authenticate({ ...(await sign(host)), pk: 'x' })).toEqual(
      refusal('public key is not a canonical P-256 key'),
    );
    expect(authenticate(await sign(host))).toEqual(ok);
  });

  it('is imported once for a Host that comes again', async () => {
    for (let count = 0; count < 5; count++) {
      clock.advance(1);
      expect(authenticate(await sign(host))).toEqual(ok);
    }
    expect(createPublicKey).toHaveBeenCalledTimes(1);
  });

  it('is kept for those that came last', async () => {
    const third = await createHostIdentity();
    for (const identity of [host, otherHost, host, third, host]) {
      clock.advance(1);
      expect(authenticate(await sign(identity))).toEqual(ok);
      expect(authenticator.cachedKeyCount).toBeLessThanOrEqual(2);
    }
    expect(createPublicKey).toHaveBeenCalledTimes(3);
    clock.advance(1);
    expect(authenticate(await sign(otherHost))).toEqual(ok);
    expect(createPublicKey).toHaveBeenCalledTimes(4);
  });
});

describe('the signature', () => {
  it.each(signatureVectors)('verifies, or not: $name', (vector) => {
    clock.setEpoch(Number(vector.ts));
    const result = authenticate(vector as HostUpgrade);
    if (vector.verifies) expect(result).toEqual(ok);
    else expect(result).toMatchObject({ ok: false, detail: expect.stringMatching(/^auth: signature /) });
    expect([authenticator.cachedKeyCount, replay.size]).toEqual(vector.verifies ? [1, 1] : [0, 0]);
  });

  it.each(['', 'x', 'A'.repeat(85), 'A'.repeat(87), `${'A'.repeat(85)}B`, `${'A'.repeat(86)}==`])(
    'has to be 64 bytes: %j',
    async (sig) => {
      expect(authenticate({ ...(await sign(host)), sig })).toEqual(
        refusal('signature is not 64 bytes in canonical base64url'),
      );
    },
  );

  it('holds for the role, the connection and the moment it was made for', async () => {
    const control = await sign(host);
    const data = await sign(host, { role: 'host-data', connectionId });
    const refused = refusal('signature does not verify');
    expect(authenticate({ ...data, sig: control.sig })).toEqual(refused);
    expect(authenticate({ ...control, sig: data.sig })).toEqual(refused);
    expect(authenticate({ ...data, connectionId: 'AQECAwQFBgcICQoLDA0ODw' } as HostUpgrade)).toEqual(refused);
    expect(authenticate({ ...control, ts: String(clock.epochMs() + 1) })).toEqual(refused);
  });

  it('leaves no trace when it does not verify', async () => {
    const upgrade = await sign(host);
    const { sig } = await sign(otherHost);
    expect(authenticate({ ...upgrade, sig })).toEqual(refusal('signature does not verify'));
    expect([replay.size, authenticator.cachedKeyCount]).toEqual([0, 0]);
    expect(authenticate(upgrade)).toEqual(ok);
  });
});

it('fits every reason into a close frame', async () => {
  // RFC 6455 §5.5: a control frame carries 125 bytes, two of them the code.
  const farOff = authenticate(await sign(host, { ts: '9999999999999999' }));
  expect(farOff.ok ? '' : farOff.detail).toMatch(/^.{20,123}$/);
});
