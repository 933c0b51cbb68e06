import type { Admission } from '@openchambery/host';
import { MAX_PLAINTEXT_BYTES } from '@openchambery/tunnel';
import { describe, expect, it } from 'vitest';
import { standstill } from './support/leaps.ts';
import { startNetwork } from './support/network.ts';
import { readAll, uploadBody } from './support/transfer.ts';

const STREAMS = 200;
const ENDLESS = 1_000_000_000;

/**
 * What may get ahead of something small, in bytes, however much waits: what the little things before it have, as much of
 * what is large as takes turns with them, and the frames that it was too late to stop. What is in the sockets by then is
 * not counted: nobody can get ahead of that.
 */
const FEW_FRAMES_BYTES = 3 * MAX_PLAINTEXT_BYTES;

describe.each([1, 8])('200 streams on one tunnel, %i of them without end', (bulkCount) => {
  it('do not hold up a small answer by more than a few frames', async () => {
    const { host, origin, connectClient } = await startNetwork();
    const { client, hostLeg } = await connectClient();
    const asked = Array.from({ length: STREAMS - bulkCount }, () => client.fetch('/slow'));
    const held = await Promise.all(asked.map(() => origin.nextHeld()));
    // Whatever the Host sends from now on comes to a halt behind what is without end.
    hostLeg.stop('toTarget');
    for (let bulk = 0; bulk < bulkCount; bulk++) {
      const downloading = client.fetch(`/bytes/${ENDLESS}`);
      downloading.then(({ body }) => readAll(body)).catch(() => 'ends with the test');
    }
    await expect.poll(() => host.snapshot().openStreams, { timeout: 10_000 }).toBe(STREAMS);
    await standstill(() => host.snapshot().sentBytes);
    const { sentBytes } = host.snapshot();
    expect(sentBytes).toBeGreaterThan(MAX_PLAINTEXT_BYTES);
    for (const request of held) request.answer(200, 'small');
    // The Host has them all, and can send none.
    await expect.poll(() => host.snapshot().openStreams, { timeout: 10_000 }).toBe(bulkCount);
    hostLeg.release();
    const overtaken = await Promise.all(
      asked.map(async (answer) => {
        const response = await answer;
        const bytes = client.traffic.receivedBytes - sentBytes;
        expect(await response.text()).toBe('small');
        return bytes;
      }),
    );
    expect(Math.max(...overtaken)).toBeLessThan(FEW_FRAMES_BYTES);
  });

  it('do not hold up a small request either', async () => {
    const overtaken: number[] = [];
    let sentBytes = 0;
    const uploads = new AbortController();
    const admit = ({ path }: { readonly path: string }): Admission => {
      if (path === '/sink') return { isAllowed: true };
      overtaken.push(network.host.snapshot().receivedBytes - sentBytes);
      // What is measured is over, and what is without end has an end.
      if (overtaken.length === STREAMS - bulkCount) uploads.abort();
      return { isAllowed: true };
    };
    const network = await startNetwork({ host: { policy: { admit } } });
    const { client, clientLeg } = await network.connectClient();
    clientLeg.stop('toTarget');
    for (let bulk = 0; bulk < bulkCount; bulk++) {
      const { signal } = uploads;
      client
        .fetch('/sink', { method: 'POST', body: uploadBody(ENDLESS), duplex: 'half', signal })
        .catch(() => 'ends with the test');
    }
    await standstill(() => client.traffic.sentBytes);
    ({ sentBytes } = client.traffic);
    expect(sentBytes).toBeGreaterThan(MAX_PLAINTEXT_BYTES);
    const asked = Array.from({ length: STREAMS - bulkCount }, () => client.fetch('/status/204'));
    await expect.poll(() => client.traffic.openStreams, { timeout: 10_000 }).toBe(STREAMS);
    clientLeg.release();
    for (const response of await Promise.all(asked)) expect(response.status).toBe(204);
    expect(overtaken).toHaveLength(STREAMS - bulkCount);
    expect(Math.max(...overtaken)).toBeLessThan(FEW_FRAMES_BYTES);
  });
});
