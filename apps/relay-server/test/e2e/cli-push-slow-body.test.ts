import { delay, RawSocket, startPush } from '@openchambery/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { neededVariables } from './support/push-command.ts';

// Push API §1: a body is at most 16 KiB, and nobody holds a request open with one for long.

const HEAD = 'POST /v1/push/send HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{';

describe('a body that is slow', () => {
  it('has 15 s to arrive; later its connection ends without an answer', { timeout: 40_000 }, async () => {
    const push = await startPush({ limits: neededVariables() });
    onTestFinished(() => push.stop());
    const [inTime, late] = await Promise.all([RawSocket.connect(push), RawSocket.connect(push)]);
    const startedAt = performance.now();
    await Promise.all([inTime.write(HEAD), late.write(HEAD)]);
    await delay(13_000);
    await inTime.write('}');
    expect((await inTime.response()).status).toBe(400);
    await late.ended();
    expect(late.receivedBytes).toBe(0);
    const tookMs = performance.now() - startedAt;
    expect(tookMs).toBeGreaterThan(14_500);
    // Node looks once a second.
    expect(tookMs).toBeLessThan(20_000);
    inTime.destroy();
  });
});
