import { clientQuery, eventually, makeIdentity, signedQuery } from '@openchambery/testkit';
import type { HostIdentity, PeerOptions } from '@openchambery/testkit';
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

// Layer 1 §4: the order of checks, and that a refused control never disturbs the live one.

let ips = 0;
/** Connects as a client IP that no test has used. */
function stranger(): PeerOptions {
  ips += 1;
  return { headers: { 'X-Forwarded-For': `10.${(ips >> 16) & 255}.${(ips >> 8) & 255}.${ips & 255}` } };
}

const canonicalId = 'AAAAAAAAAAAAAAAAAAAAAA';
const unknownHost = (): string => clientQuery(makeIdentity().serverId);
const controlOf = (identity: HostIdentity): string => signedQuery({ identity, role: 'host-control' });
const dataOf = (identity: HostIdentity): string =>
  signedQuery({ identity, role: 'host-data', connectionId: canonicalId });
const forgedControl = (identity: HostIdentity): string =>
  signedQuery({ identity, role: 'host-control', signedText: 'not what it says' });
const forgedData = (identity: HostIdentity): string =>
  signedQuery({ identity, role: 'host-data', connectionId: canonicalId, signedText: 'nor this' });

describe('admission buckets', () => {
  const limits = {
    ...roomy,
    MAX_ADMISSIONS_PER_IP: 3,
    MAX_HOST_CONTROL_ADMISSIONS_PER_IP: 3,
    MAX_HOST_CONTROL_ADMISSIONS_PER_SERVER: 2,
  };
  const relay = useRelay({ limits, args: ['--trust-proxy'] });

  async function codes(count: number, query: () => string, ip: PeerOptions): Promise<number[]> {
    const all: number[] = [];
    for (let i = 0; i < count; i++) all.push((await refusal(relay, query(), ip)).code);
    return all;
  }

  it('take MAX_ADMISSIONS_PER_IP malformed upgrades of an IP, one over is 4029', async () => {
    const ip = stranger();
    expect(await codes(5, () => 'v=2', ip)).toEqual([1008, 1008, 1008, 4029, 4029]);
    expect(await codes(1, () => 'v=2', stranger())).toEqual([1008]);
  });

  it('take MAX_ADMISSIONS_PER_IP Clients of an IP, one over is 4029', async () => {
    const ip = stranger();
    expect(await codes(4, unknownHost, ip)).toEqual([4008, 4008, 4008, 4029]);
    expect(await codes(1, unknownHost, stranger())).toEqual([4008]);
  });

  it('take MAX_ADMISSIONS_PER_IP host-data of an IP, one over is 4029', async () => {
    const identity = makeIdentity();
    const ip = stranger();
    expect(await codes(4, () => dataOf(identity), ip)).toEqual([4002, 4002, 4002, 4029]);
    expect(await codes(1, () => dataOf(identity), stranger())).toEqual([4002]);
  });

  it('take MAX_HOST_CONTROL_ADMISSIONS_PER_IP controls of an IP, one over is 4029', async () => {
    const ip = stranger();
    for (let i = 0; i < 3; i++) await connectHost(relay, ip);
    expect(await codes(1, () => controlOf(makeIdentity()), ip)).toEqual([4029]);
    await connectHost(relay, stranger());
  });

  it('take MAX_HOST_CONTROL_ADMISSIONS_PER_SERVER controls of a Host from all IPs, one over is 4029', async () => {
    const identity = makeIdentity();
    await connectHost(relay, { identity, ...stranger() });
    const live = await connectHost(relay, { identity, ...stranger() });
    expect(await codes(1, () => controlOf(identity), stranger())).toEqual([4029]);
    await expectLive(relay, live, stranger());
  });

  it('are separate for malformed, client and host-data', async () => {
    const ip = stranger();
    const identity = makeIdentity();
    expect(await codes(4, () => 'v=2', ip)).toEqual([1008, 1008, 1008, 4029]);
    expect(await codes(4, unknownHost, ip)).toEqual([4008, 4008, 4008, 4029]);
    expect(await codes(4, () => dataOf(identity), ip)).toEqual([4002, 4002, 4002, 4029]);
    await connectHost(relay, { identity, ...ip });
  });

  it('come after parsing: a malformed upgrade is 1008 when the Client bucket is full', async () => {
    const ip = stranger();
    await codes(4, unknownHost, ip);
    expect(await codes(1, () => 'v=2', ip)).toEqual([1008]);
  });

  it('come before authentication: forged upgrades are 4010 up to the limit, then 4029', async () => {
    const identity = makeIdentity();
    const ip = stranger();
    expect(await codes(4, () => forgedControl(identity), ip)).toEqual([4010, 4010, 4010, 4029]);
    expect(await codes(4, () => forgedData(identity), ip)).toEqual([4010, 4010, 4010, 4029]);
  });

  it('per serverId come after authentication: forged upgrades do not count', async () => {
    const identity = makeIdentity();
    for (let i = 0; i < 6; i++) {
      expect(await codes(1, () => forgedControl(identity), stranger())).toEqual([4010]);
    }
    await connectHost(relay, { identity, ...stranger() });
    await connectHost(relay, { identity, ...stranger() });
    expect(await codes(1, () => controlOf(identity), stranger())).toEqual([4029]);
  });

  it('leave the live control alone whatever is refused', async () => {
    const identity = makeIdentity();
    const used = controlOf(identity);
    const live = await connectHost(relay, { identity, ...stranger() });
    const pair = await connectPair(relay, live, stranger());
    const malformed = used.replace('v=1', 'v=2');
    const late = signedQuery({ identity, role: 'host-control', ts: Date.now() - 3_600_000 });
    expect(await codes(1, () => malformed, stranger())).toEqual([1008]);
    expect(await codes(1, () => forgedControl(identity), stranger())).toEqual([4010]);
    expect(await codes(1, () => late, stranger())).toEqual([4010]);
    const ip = stranger();
    await codes(3, () => forgedControl(identity), ip);
    expect(await codes(1, () => controlOf(identity), ip)).toEqual([4029]);
    await expectLive(relay, live, stranger());
    await expectFlows(pair);
  });

  it('name the limit in the reason, each its own', async () => {
    const reasons = new Map<string, string>();
    const collect = async (name: string, times: number, query: () => string): Promise<void> => {
      const ip = stranger();
      for (let i = 0; i < times; i++) await refusal(relay, query(), ip);
      const { code, reason } = await refusal(relay, query(), ip);
      expect(code).toBe(4029);
      reasons.set(name, reason);
    };
    await collect('client', 3, unknownHost);
    await collect('control per IP', 3, () => forgedControl(makeIdentity()));
    const identity = makeIdentity();
    for (let i = 0; i < 2; i++) await connectHost(relay, { identity, ...stranger() });
    const perServer = await refusal(relay, controlOf(identity), stranger());
    reasons.set('control per server', perServer.reason);
    expect(new Set(reasons.values()).size, JSON.stringify([...reasons])).toBe(3);
  });
});

describe('a replayed control', () => {
  const relay = useRelay({ limits: roomy });

  it('does not disturb the control it was copied from', async () => {
    const identity = makeIdentity();
    const ts = Date.now();
    const live = await connectHost(relay, { identity, ts });
    const copy = signedQuery({ identity, role: 'host-control', ts });
    expect((await refusal(relay, copy)).code).toBe(4010);
    await expectLive(relay, live);
  });
});

describe('MAX_SOCKETS', () => {
  it('refuses Clients and host-data with 1013, controls with 4029, one over the limit', async () => {
    const relay = await ownRelay({ limits: { ...roomy, MAX_SOCKETS: 4 } });
    const host = await connectHost(relay);
    const pair = await connectPair(relay, host);
    const { client, connectionId } = await connectPending(relay, host);

    expect((await refusal(relay, clientQuery(host.serverId))).code).toBe(1013);
    const attach = signedQuery({ identity: host.identity, role: 'host-data', connectionId });
    expect((await refusal(relay, attach)).code).toBe(1013);
    expect((await refusal(relay, controlOf(makeIdentity()))).code).toBe(4029);
    expect((await refusal(relay, controlOf(host.identity))).code).toBe(4029);
    await expectFlows(pair);

    pair.client.close();
    await pair.data.closed();
    await host.nextId('disconnected');
    await eventually(async () => {
      const data = await attachData(host, connectionId);
      await data.send('room again');
      expect(await client.text(1000)).toBe('room again');
    });
  });

  it('is checked after parsing and authentication, before the Host is looked up', async () => {
    const relay = await ownRelay({ limits: { ...roomy, MAX_SOCKETS: 1 } });
    const host = await connectHost(relay);
    expect((await refusal(relay, 'v=2')).code).toBe(1008);
    expect((await refusal(relay, forgedControl(host.identity))).code).toBe(4010);
    expect((await refusal(relay, forgedData(host.identity))).code).toBe(4010);
    expect((await refusal(relay, unknownHost())).code).toBe(1013);
    expect((await refusal(relay, dataOf(host.identity))).code).toBe(1013);
  });

  it('is checked after the admission of the IP', async () => {
    const limits = { ...roomy, MAX_SOCKETS: 1, MAX_ADMISSIONS_PER_IP: 2 };
    const relay = await ownRelay({ limits });
    const host = await connectHost(relay);
    const query = clientQuery(host.serverId);
    const codes: number[] = [];
    for (let i = 0; i < 3; i++) codes.push((await refusal(relay, query)).code);
    expect(codes).toEqual([1013, 1013, 4029]);
  });
});
