import { describe, expect, it } from 'vitest';
import { LeapClock } from './support/leap-clock.ts';
import { startNetwork } from './support/network.ts';
import { clientIn, hostIn } from './support/status.ts';
import { download, whole } from './support/transfer.ts';

/** How long a machine that is busy may take from signing to checking, in s. */
const BUSY_S = 30;

describe.each([
  [-312, 'behind'],
  [312, 'ahead of'],
] as const)('a Host whose clock is off by %i s', (skewS, side) => {
  it('is told by how much, waits for somebody to set it, and comes back', async () => {
    const hostClock = new LeapClock(skewS * 1000);
    const { host, makeClient } = await startNetwork({ hostClock, isHostAwaited: false });
    const refused = await hostIn(host, 'refused');
    expect(refused.code).toBe(4010);
    const [, seconds, where] = /timestamp (\d+) s (behind|ahead of) the relay/.exec(refused.reason) ?? [];
    expect(where).toBe(side);
    expect(Math.abs(Number(seconds) - 312)).toBeLessThan(BUSY_S);
    expect(host.snapshot().lastError).toBe(refused.reason);
    // Unhurried: a second try soon would hear the same.
    expect(refused.retryInMs).toBeGreaterThanOrEqual(1000);

    const { client } = makeClient();
    const waiting = download(client, 1000);
    expect(await clientIn(client, 'reconnecting')).toMatchObject({
      error: { code: 'ERR_RELAY_CLIENT_HOST_UNAVAILABLE' },
    });
    hostClock.skewMs = 0;
    hostClock.leap(refused.retryInMs);
    await hostIn(host, 'connected');
    expect(await waiting).toEqual(whole(1000));
  });
});

describe('a Host whose clock is set while it is connected', () => {
  it('is refused its next data connection, says why, and goes on when it is set right', async () => {
    const { connectClient, host, hostClock, links, makeClient } = await startNetwork({
      limits: { PENDING_MS: 1500 },
    });
    const first = await connectClient();
    hostClock.skewMs = -312_000;
    const { client } = makeClient();
    const waiting = download(client, 1000);
    await links.host.connection();
    await expect
      .poll(() => host.snapshot().lastError, { timeout: 10_000 })
      .toMatch(/timestamp 3\d\d s behind the relay/);
    expect(await download(first.client, 1000)).toEqual(whole(1000));
    hostClock.skewMs = 0;
    // The relay gives the Client up that the Host did not come for, and the Client comes again.
    expect(await waiting).toEqual(whole(1000));
  });
});
