import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { FakeClock, RawSocket } from '@openchambery/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { giveLastAnswer } from '../../src/http/last-answer.ts';

const limits = { closeDeadlineMs: 5000 };

async function connected(): Promise<{ near: Socket; raw: RawSocket }> {
  const server = createServer({ allowHalfOpen: true }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const accepted = once(server, 'connection');
  const raw = await RawSocket.connect({ port: (server.address() as AddressInfo).port });
  const [near] = (await accepted) as [Socket];
  onTestFinished(() => {
    raw.destroy();
    near.destroy();
    server.close();
  });
  return { near, raw };
}

describe('the last answer of a connection', () => {
  it('is followed by the end of the connection, and leaves no timer', async () => {
    const clock = new FakeClock();
    const { near, raw } = await connected();
    const closed = once(near, 'close');
    giveLastAnswer(near, '404 Not Found', { clock, limits });
    expect(await raw.response()).toMatchObject({
      status: 404,
      headers: { connection: 'close', 'cache-control': 'no-store', 'content-length': '0' },
    });
    await closed;
    expect(clock.pendingTimers).toBe(0);
  });

  it('has CLOSE_DEADLINE_MS to get to a peer that reads nothing', async () => {
    const clock = new FakeClock();
    const { near, raw } = await connected();
    raw.pause();
    // More than two kernels hold.
    near.write(Buffer.alloc(32_000_000));
    giveLastAnswer(near, '400 Bad Request', { clock, limits });
    clock.advance(4999);
    expect(near.destroyed).toBe(false);
    const closed = once(near, 'close');
    clock.advance(1);
    await closed;
    expect(clock.pendingTimers).toBe(0);
  });
});
