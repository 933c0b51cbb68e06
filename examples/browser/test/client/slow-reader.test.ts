import { delay, patternSha256 } from '@openchambery/testkit';
import type { FaultProxy } from '@openchambery/testkit';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { shared } from '../../../../apps/tunnel/test/e2e/support/keep.ts';
import { openHarness } from '../support/open-page.ts';
import { testParties } from '../support/parties.ts';

const MIB = 1024 * 1024;
const TOTAL_BYTES = 100 * MIB;

/** What the Client lets lie unread where it cannot hold anyone back. */
const MAX_UNREAD_BYTES = 64 * MIB;

/** Begins the download in the page, and reads one chunk of it. */
function beginDownload(page: Page) {
  return page.evaluateHandle(async (bytes) => {
    const response = await harness.client.fetch(`/bytes/${bytes}`);
    const reader = response.body?.getReader();
    if (reader === undefined) throw new Error('no body');
    const first = await reader.read();
    return { reader, first: first.value ?? new Uint8Array() };
  }, TOTAL_BYTES);
}

/** Bytes that the page holds in JavaScript: objects, and what their buffers take, after a collection of garbage. */
async function heldBytes(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  const usage = await session.send('Runtime.getHeapUsage');
  await session.detach();
  return usage.usedSize + (usage.backingStorageSize ?? 0);
}

/** Resolves when nothing has come through for a while: whoever sends is held back. */
async function quiet({ traffic }: FaultProxy): Promise<void> {
  const spanMs = 1000;
  for (let before = -1; before !== traffic.toClient.deliveredBytes; await delay(spanMs)) {
    before = traffic.toClient.deliveredBytes;
  }
}

describe('a page that does not read', () => {
  const parties = shared(testParties);

  it('holds the program back over a WebSocketStream, and keeps next to nothing in memory', async () => {
    const page = await openHarness(parties.link, { transport: 'WebSocketStream' });
    const before = await heldBytes(page);
    const download = await beginDownload(page);
    await quiet(parties.proxy);
    const { receivedBytes } = await page.evaluate(() => harness.client.traffic);
    expect(receivedBytes).toBeLessThan(3 * MIB);
    expect((await heldBytes(page)) - before).toBeLessThan(8 * MIB);
    // Then it reads after all, and not a byte is missing.
    const rest = await download.evaluate(async ({ reader, first }, total) => {
      const all = new Uint8Array(total);
      let at = 0;
      let most = 0;
      for (
        let chunk: Uint8Array | undefined = first;
        chunk !== undefined;
        chunk = (await reader.read()).value
      ) {
        all.set(chunk, at);
        at += chunk.byteLength;
        most = Math.max(most, harness.client.traffic.receivedBytes - at);
      }
      return { bytes: at, most, sha256: await harness.sha256(all) };
    }, TOTAL_BYTES);
    expect(rest).toMatchObject({ bytes: TOTAL_BYTES, sha256: patternSha256(TOTAL_BYTES) });
    expect(rest.most).toBeLessThan(4 * MIB);
  });

  it('loses that one download over a WebSocket, at a hard bound; everything else goes on', async () => {
    const page = await openHarness(parties.link, { transport: 'WebSocket' });
    const before = await heldBytes(page);
    const echo = await page.evaluateHandle(() => harness.openSocket('/ws/echo'));
    const download = await beginDownload(page);
    // Small requests go on all the while, until more lies unread than the page is willing to hold.
    const requests = await page.evaluate(async (bound) => {
      let count = 0;
      for (; harness.client.traffic.receivedBytes <= bound; count += 1) {
        const response = await harness.client.fetch('/status/200');
        await response.text();
      }
      return count;
    }, MAX_UNREAD_BYTES);
    expect(requests).toBeGreaterThan(0);
    const failure = await download.evaluate(async ({ reader }) => {
      for (;;) {
        const code = await reader.read().then(
          ({ done }) => (done ? 'complete' : undefined),
          (error: unknown) => (error as { readonly code?: string }).code ?? String(error),
        );
        if (code !== undefined) return code;
      }
    });
    expect(failure).toBe('ERR_RELAY_CLIENT_READER_STALLED');
    const after = await echo.evaluate(async ({ socket }) => {
      const answer = harness.nextMessage(socket);
      socket.send('still here');
      const response = await harness.client.fetch('/status/200');
      return [await answer, await response.text(), harness.client.status.state];
    });
    expect(after).toEqual(['still here', 'status 200', 'connected']);
    expect((await heldBytes(page)) - before).toBeLessThan(8 * MIB);
  });
});
