import { delay } from '@openchambery/testkit';
import { defaultTunnelLimits } from '@openchambery/tunnel';
import { describe, expect, it } from 'vitest';
import { leapToPong, repeatUntil, standstill } from './support/leaps.ts';
import { startNetwork } from './support/network.ts';
import { download, uploadBody, whole } from './support/transfer.ts';

/** How long a reader may hold up all others, in ms. */
const STALL_MS = 30_000;

/** More than the head of an answer takes. */
const HEAD_BYTES = 1000;

const ENDLESS = 1_000_000_000;

describe('a reader that stops', () => {
  it('for more than 30 s loses its answer, and all others go on', async () => {
    const { connectClient, host, origin } = await startNetwork();
    const { client, clock } = await connectClient();
    const reader = (await client.fetch(`/bytes/${ENDLESS}`)).body?.getReader();
    const first = await reader?.read();
    const takenBytes = first?.value?.length ?? 0;
    // From here on nothing is read from the network.
    await expect
      .poll(() => client.traffic.receivedBytes, { timeout: 10_000 })
      .toBeGreaterThan(defaultTunnelLimits.unreadHighWaterBytes + takenBytes + HEAD_BYTES);
    let isAnswered = false;
    const held = client.fetch('/slow');
    (await origin.nextHeld()).answer(200, 'after');
    void held.then(() => (isAnswered = true));
    clock.leap(STALL_MS - 5000);
    await delay(100);
    // All answers share one connection, which is not read any more.
    expect(isAnswered).toBe(false);
    clock.leap(5000);
    expect(await (await held).text()).toBe('after');
    await expect(drain(reader)).rejects.toMatchObject({ code: 'ERR_RELAY_CLIENT_READER_STALLED' });
    await expect.poll(() => host.snapshot().openStreams).toBe(0);
    await expect.poll(() => origin.connections).toBeLessThan(3);
    expect(await download(client, 1_000_000)).toEqual(whole(1_000_000));
    expect(client.status).toEqual({ state: 'connected' });
  });

  it('and reads on in time loses nothing', async () => {
    const { connectClient } = await startNetwork();
    const { client, clock } = await connectClient();
    let pauses = 0;
    const slowly = async (bytes: number): Promise<void> => {
      if (bytes < pauses * 1_600_000) return;
      pauses += 1;
      await standstill(() => client.traffic.receivedBytes);
      clock.leap(STALL_MS - 10_000);
    };
    expect(await download(client, 8_000_000, slowly)).toEqual(whole(8_000_000));
    expect(pauses).toBeGreaterThanOrEqual(5);
  });
});

describe('an origin that does not read', () => {
  it('for more than 30 s loses the upload, which fails clearly, and all others go on', async () => {
    const { connectClient, control, host, hostClock, origin } = await startNetwork();
    const { client } = await connectClient();
    let sentBytes = 0;
    const post = client
      .fetch('/deaf', {
        method: 'POST',
        body: uploadBody(ENDLESS, (bytes) => (sentBytes = bytes)),
        duplex: 'half',
      })
      .catch((error: unknown) => error);
    const held = await origin.nextHeld();
    const other = download(client, 1000);
    // A busy machine may seem to be still before all buffers are full.
    await repeatUntil(post, async () => {
      await standstill(() => sentBytes);
      await leapToPong(hostClock, control);
    });
    expect(await other).toEqual(whole(1000));
    expect(await post).toMatchObject({
      code: 'ERR_RELAY_CLIENT_ABORTED_BY_HOST',
      message: expect.stringContaining('not read for too long'),
    });
    await expect.poll(() => host.snapshot().openStreams).toBe(0);
    // Only who reads learns that nothing more comes.
    held.incoming.resume();
    await held.abandoned();
    expect(host.snapshot().connections).toBe(1);
  });
});

async function drain(reader: ReadableStreamDefaultReader<unknown> | undefined): Promise<void> {
  while ((await reader?.read())?.done === false);
}
