import { createPublicKey, verify } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  createHostIdentity,
  deriveServerId,
  exportHostIdentity,
  formatUpgradeQuery,
  type HostUpgrade,
  importHostIdentity,
  parsePublicKeyField,
  parseUpgradeTarget,
  signingText,
  signUpgrade,
} from '../src/index.ts';
import { identities, upgrades } from './vectors.ts';

const connectionId = 'AAECAwQFBgcICQoLDA0ODw';

function verifies(upgrade: HostUpgrade): boolean {
  const key = createPublicKey({ key: { ...parsePublicKeyField(upgrade.pk)?.jwk }, format: 'jwk' });
  const signature = Buffer.from(upgrade.sig, 'base64url');
  return verify('sha256', Buffer.from(signingText(upgrade)), { key, dsaEncoding: 'ieee-p1363' }, signature);
}

describe('createHostIdentity', () => {
  it('makes a key whose serverId is that of its public half', async () => {
    const identity = await createHostIdentity();
    expect(parsePublicKeyField(identity.pk)?.jwk).toEqual(identity.publicJwk);
    expect(await deriveServerId(identity.publicJwk)).toBe(identity.serverId);
  });

  it('makes another one each time', async () => {
    const [one, other] = await Promise.all([createHostIdentity(), createHostIdentity()]);
    expect(one.serverId).not.toBe(other.serverId);
  });

  it('can be stored and taken up again', async () => {
    const identity = await createHostIdentity();
    const again = await importHostIdentity(await exportHostIdentity(identity));
    expect(again.serverId).toBe(identity.serverId);
    expect(verifies(await signUpgrade(again, { role: 'host-control', ts: 1 }))).toBe(true);
  });
});

describe('importHostIdentity', () => {
  it.each(identities)('takes up the identity "$name"', async ({ privateJwk, pk, serverId }) => {
    const identity = await importHostIdentity(privateJwk);
    expect(identity).toMatchObject({ pk, serverId });
    expect(await exportHostIdentity(identity)).toEqual(privateJwk);
  });

  it('refuses halves that do not belong together', async () => {
    const [first, second] = identities;
    if (first === undefined || second === undefined) throw new Error('two identities are needed');
    const mixed = { ...first.privateJwk, d: second.privateJwk.d };
    await expect(importHostIdentity(mixed)).rejects.toThrow('Invalid');
  });
});

describe('signUpgrade', () => {
  it('signs both roles so that Node and the upgrade parser take them', async () => {
    const identity = await createHostIdentity();
    const signed = [
      await signUpgrade(identity, { role: 'host-control', ts: 1_700_000_000_000 }),
      await signUpgrade(identity, { role: 'host-data', connectionId, ts: '1700000000000' }),
    ];
    for (const upgrade of signed) {
      expect(upgrade.ts).toBe('1700000000000');
      expect(verifies(upgrade)).toBe(true);
      const target = `/ws?${formatUpgradeQuery(upgrade)}`;
      expect(parseUpgradeTarget(target, upgrades.limits)).toEqual({ ok: true, upgrade });
    }
  });
});
