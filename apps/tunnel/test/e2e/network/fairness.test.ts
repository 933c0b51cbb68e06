import type { Admission } from '@openchambery/host';
import { delay, eventually } from '@openchambery/testkit';
import { MAX_PLAINTEXT_BYTES } from '@openchambery/tunnel';
import { describe, expect, it } from 'vitest';
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

/** Resolves when an end has sent all that the network takes. */
async function stuck(sentBytes: () => number): Promise<void> {
  await eventually(async () => {
    const before = sentBytes();
    for (let looks = 1; looks <= 3; looks++) {
      await delay(100);
      expect(sentBytes()).toBe(before);
    }
  });
}

describe.each([1, 8])('200 streams on one tunnel, %i of them without end', (bulkCount) => {
  it('do not hold up a small answer by more than a few frames', async () => {
    const { host, origin, connectClient } = await startNetwork();
    const { client, hostLeg } = await connectClient();
    const asked = Array.from({ length: STREAMS - bulkCount }, () => client.fetch('/slow'));
    const held = await Promise.all(asked.map(() => origin.nextHeld()));
    for (let bulk = 0; bulk < bulkCount; bulk++) {
      const response = await client.fetch(`/bytes/${ENDLESS}`);
      void readAll(response.body).catch(() => 'ends with the test');
    }
    expect(host.snapshot().openStreams).toBe(STREAMS);

    hostLeg.stop();
    await stuck(() => host.snapshot().sentBytes);
    const { sentBytes } = host.snapshot();
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
    const admit = ({ path }: { readonly path: string }): Admission => {
      if (path !== '/sink') overtaken.push(network.host.snapshot().receivedBytes - sentBytes);
      return { isAllowed: true };
    };
    const network = await startNetwork({ host: { policy: { admit } } });
    const { client, clientLeg } = await network.connectClient();
    for (let bulk = 0; bulk < bulkCount; bulk++) {
      const init = { method: 'POST', body: uploadBody(ENDLESS), duplex: 'half' } as RequestInit;
      client.fetch('/sink', init).catch(() => 'ends with the test');
    }
    await clientLeg.passed('toTarget', 1_000_000);
    clientLeg.stop();
    await stuck(() => client.traffic.sentBytes);
    ({ sentBytes } = client.traffic);
    const asked = Array.from({ length: STREAMS - bulkCount }, () => client.fetch('/status/204'));
    await expect.poll(() => client.traffic.openStreams, { timeout: 10_000 }).toBe(STREAMS);
    clientLeg.release();
    for (const response of await Promise.all(asked)) expect(response.status).toBe(204);
    expect(overtaken).toHaveLength(STREAMS - bulkCount);
    expect(Math.max(...overtaken)).toBeLessThan(FEW_FRAMES_BYTES);
  });
});
