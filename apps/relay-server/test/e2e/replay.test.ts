import { makeIdentity, signedQuery, uniqueTs } from '@openchambery/testkit';
import type { PeerOptions } from '@openchambery/testkit';
import { describe, expect, it } from 'vitest';
import { ownRelay, roomy, useRelay } from './support/relay.ts';
import {
  attachData,
  connectHost,
  connectPair,
  connectPending,
  expectFlows,
  expectLive,
  refusal,
} from './support/sockets.ts';

// Layer 1 §4: a (serverId, role, connectionId, ts) is good once.

/** The order of the P-256 group. */
const GROUP_ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;

/** The other valid signature over the same text: (r, n − s). */
function twinSignature(query: string): string {
  const sig = new URLSearchParams(query).get('sig') ?? '';
  const bytes = Buffer.from(sig, 'base64url');
  const s = BigInt(`0x${bytes.subarray(32).toString('hex')}`);
  const twin = (GROUP_ORDER - s).toString(16).padStart(64, '0');
  const other = Buffer.concat([bytes.subarray(0, 32), Buffer.from(twin, 'hex')]);
  return query.replace(sig, other.toString('base64url'));
}

describe('a replay', () => {
  const relay = useRelay({ limits: roomy });

  it('of host-control is 4010 and leaves the control alone', async () => {
    const identity = makeIdentity();
    const ts = uniqueTs();
    const host = await connectHost(relay, { identity, ts });
    const { code, reason } = await refusal(relay, signedQuery({ identity, role: 'host-control', ts }));
    expect(code).toBe(4010);
    expect(reason).toMatch(/replay|already|again|before|used/iu);
    await expectLive(relay, host);
  });

  it('of host-control is 4010 when the Host has gone, too', async () => {
    const identity = makeIdentity();
    const ts = uniqueTs();
    const host = await connectHost(relay, { identity, ts });
    host.control.terminate();
    await host.control.closed();
    expect((await refusal(relay, signedQuery({ identity, role: 'host-control', ts }))).code).toBe(4010);
  });

  it('of host-data is 4010 and leaves the pair alone', async () => {
    const host = await connectHost(relay);
    const { identity } = host;
    const { client, connectionId } = await connectPending(relay, host);
    const ts = String(uniqueTs());
    const data = await host.attach(connectionId, {});
    const query = signedQuery({ identity, role: 'host-data', connectionId, ts });
    expect((await refusal(relay, query)).code).toBe(4002);
    expect((await refusal(relay, query)).code).toBe(4010);
    await expectFlows({ client, data });
  });

  it('with the twin of the signature is a replay all the same', async () => {
    const identity = makeIdentity();
    const query = signedQuery({ identity, role: 'host-data', connectionId: 'AAAAAAAAAAAAAAAAAAAAAA' });
    expect((await refusal(relay, twinSignature(query))).code).toBe(4002);
    expect((await refusal(relay, query)).code).toBe(4010);
    expect((await refusal(relay, twinSignature(query))).code).toBe(4010);
  });

  it('is not what the same ts for another role, connectionId or Host is', async () => {
    const identity = makeIdentity();
    const ts = uniqueTs();
    const host = await connectHost(relay, { identity, ts });
    await connectHost(relay, { ts });
    const first = await connectPending(relay, host);
    const second = await connectPending(relay, host);
    for (const { client, connectionId } of [first, second]) {
      const data = await host.attach(connectionId, {});
      await expectFlows({ client, data });
      const unknown = signedQuery({ identity, role: 'host-data', connectionId, ts });
      expect((await refusal(relay, unknown)).code).toBe(4002);
    }
  });

  it('is not what a right upgrade after a forged one with the same ts is', async () => {
    const identity = makeIdentity();
    const ts = uniqueTs();
    const forged = signedQuery({ identity, role: 'host-control', ts, signedText: 'forged' });
    expect((await refusal(relay, forged)).code).toBe(4010);
    await connectHost(relay, { identity, ts });
  });
});

describe('a full replay table', () => {
  const limits = { ...roomy, MAX_REPLAY_ENTRIES: 6 };
  const from = (ip: string): PeerOptions => ({ headers: { 'X-Forwarded-For': ip } });
  const connectionId = 'AAAAAAAAAAAAAAAAAAAAAA';

  it('forgets the oldest of the IP that holds the most, and nobody else', async () => {
    const relay = await ownRelay({ limits, args: ['--trust-proxy'] });
    const code = async (query: string, ip: string): Promise<number> =>
      (await refusal(relay, query, from(ip))).code;
    const queries = (count: number): string[] => {
      const identity = makeIdentity();
      return Array.from({ length: count }, () => signedQuery({ identity, role: 'host-data', connectionId }));
    };
    const [victim = ''] = queries(1);
    expect(await code(victim, '10.0.0.1')).toBe(4002);
    const flood = queries(30);
    for (const query of flood) expect(await code(query, '10.0.0.2')).toBe(4002);
    // The victim's record is older than all of the flood, and is still there.
    expect(await code(victim, '10.0.0.3')).toBe(4010);
    expect(await code(flood.at(-1) ?? '', '10.0.0.2')).toBe(4010);
    // A stranger gets in, at the expense of the flood.
    const [stranger = ''] = queries(1);
    expect(await code(stranger, '10.0.0.4')).toBe(4002);
    expect(await code(stranger, '10.0.0.4')).toBe(4010);
    expect(await code(victim, '10.0.0.3')).toBe(4010);
  });

  it('does not lock a Host out of attaching', async () => {
    const relay = await ownRelay({ limits, args: ['--trust-proxy'] });
    const attacker = makeIdentity();
    const fill = async (): Promise<void> => {
      for (let i = 0; i < 10; i++) {
        const query = signedQuery({ identity: attacker, role: 'host-data', connectionId });
        expect((await refusal(relay, query, from('10.0.1.1'))).code).toBe(4002);
      }
    };
    await fill();
    const host = await connectHost(relay, from('10.0.1.2'));
    await fill();
    await expectFlows(await connectPair(relay, host, from('10.0.1.3')));
    const { client, connectionId: id } = await connectPending(relay, host, from('10.0.1.3'));
    await fill();
    await expectFlows({ client, data: await attachData(host, id) });
  });
});
