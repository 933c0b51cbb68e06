import { clientQuery, delay, makeIdentity, signedQuery } from '@openchambery/testkit';
import type { PeerOptions, RelayProcess } from '@openchambery/testkit';
import { describe, expect, it } from 'vitest';
import { ownRelay, roomy, useRelay } from './support/relay.ts';
import { connectHost, refusal } from './support/sockets.ts';

// Layer 1 §4, "Admission": fixed windows in a bounded table.

const strangerQuery = clientQuery(makeIdentity().serverId);

function from(ip: string): PeerOptions {
  return { headers: { 'X-Forwarded-For': ip } };
}

async function codeOf(relay: RelayProcess, ip: string, query = strangerQuery): Promise<number> {
  return (await refusal(relay, query, from(ip))).code;
}

describe('an admission window', () => {
  const ADMISSION_WINDOW_MS = 2000;
  const limits = {
    ...roomy,
    ADMISSION_WINDOW_MS,
    MAX_ADMISSIONS_PER_IP: 2,
    MAX_HOST_CONTROL_ADMISSIONS_PER_IP: 2,
  };
  const relay = useRelay({ limits, args: ['--trust-proxy'] });

  /** Ms from `startedAt` until an upgrade of `ip` is admitted again; the refused ones must not prolong that. */
  async function untilAdmitted(startedAt: number, attempt: () => Promise<number>): Promise<number> {
    while ((await attempt()) === 4029) {
      expect(performance.now() - startedAt).toBeLessThan(4 * ADMISSION_WINDOW_MS);
      await delay(50);
    }
    return performance.now() - startedAt;
  }

  it('ends ADMISSION_WINDOW_MS after its first upgrade, however many were refused in it', async () => {
    const startedAt = performance.now();
    expect(await codeOf(relay, '10.0.0.1')).toBe(4008);
    await delay(ADMISSION_WINDOW_MS / 2);
    expect(await codeOf(relay, '10.0.0.1')).toBe(4008);
    expect(await codeOf(relay, '10.0.0.1')).toBe(4029);
    const tookMs = await untilAdmitted(startedAt, () => codeOf(relay, '10.0.0.1'));
    expect(tookMs).toBeGreaterThanOrEqual(ADMISSION_WINDOW_MS - 5);
    // The new window starts empty: one of its two admissions is used.
    expect(await codeOf(relay, '10.0.0.1')).toBe(4008);
    expect(await codeOf(relay, '10.0.0.1')).toBe(4029);
  });

  it('holds for malformed upgrades', async () => {
    const startedAt = performance.now();
    const malformed = (): Promise<number> => codeOf(relay, '10.0.0.2', 'v=2');
    expect([await malformed(), await malformed(), await malformed()]).toEqual([1008, 1008, 4029]);
    expect(await untilAdmitted(startedAt, malformed)).toBeGreaterThanOrEqual(ADMISSION_WINDOW_MS - 5);
  });

  it('holds for host-control by IP', async () => {
    const startedAt = performance.now();
    const control = (): Promise<number> => {
      const query = signedQuery({ identity: makeIdentity(), role: 'host-control', signedText: 'forged' });
      return codeOf(relay, '10.0.0.3', query);
    };
    expect([await control(), await control(), await control()]).toEqual([4010, 4010, 4029]);
    expect(await untilAdmitted(startedAt, control)).toBeGreaterThanOrEqual(ADMISSION_WINDOW_MS - 5);
  });
});

describe('a window per serverId', () => {
  it('ends too', async () => {
    const ADMISSION_WINDOW_MS = 1500;
    const limits = { ...roomy, ADMISSION_WINDOW_MS, MAX_HOST_CONTROL_ADMISSIONS_PER_SERVER: 1 };
    const relay = await ownRelay({ limits });
    const identity = makeIdentity();
    const startedAt = performance.now();
    const first = await connectHost(relay, { identity });
    const again = signedQuery({ identity, role: 'host-control' });
    expect((await refusal(relay, again)).code).toBe(4029);
    await delay(ADMISSION_WINDOW_MS - (performance.now() - startedAt) + 200);
    await connectHost(relay, { identity });
    expect((await first.control.closed()).code).toBe(4001);
  });
});

describe('a full admission table', () => {
  const limits = {
    ...roomy,
    ADMISSION_WINDOW_MS: 600_000,
    MAX_ADMISSIONS_PER_IP: 1,
    MAX_ADMISSION_ENTRIES: 3,
  };

  it('admits a stranger and drops the record nearest its expiry', async () => {
    const relay = await ownRelay({ limits, args: ['--trust-proxy'] });
    for (const ip of ['10.1.0.1', '10.1.0.2', '10.1.0.3']) expect(await codeOf(relay, ip)).toBe(4008);
    expect(await codeOf(relay, '10.1.0.1')).toBe(4029);
    // The fourth takes the place of the first.
    expect(await codeOf(relay, '10.1.0.4')).toBe(4008);
    for (const ip of ['10.1.0.2', '10.1.0.3', '10.1.0.4']) expect(await codeOf(relay, ip)).toBe(4029);
    expect(await codeOf(relay, '10.1.0.1')).toBe(4008);
    expect(await codeOf(relay, '10.1.0.2')).toBe(4008);
  });

  it('admits any number of strangers', async () => {
    const relay = await ownRelay({ limits, args: ['--trust-proxy'] });
    const codes = new Set<number>();
    for (let i = 0; i < 60; i++) codes.add(await codeOf(relay, `10.2.0.${i}`));
    expect([...codes]).toEqual([4008]);
    await connectHost(relay, from('10.2.1.1'));
  });
});
