import { describe, expect, it } from 'vitest';
import { QuietWorld } from '../model/quiet-world.ts';
import { passTo } from '../model/settle.ts';

const heartbeatMs = 1000;

describe('liveness', () => {
  it('counts a socket as alive when it was paused at any time since the last probe', async () => {
    const quiet = await QuietWorld.open({ heartbeatMs, maxQueuedBytesPerConnection: 200, stallMs: 60_000 });
    const { world } = quiet;
    await quiet.host();
    const client = await quiet.client();
    const data = await quiet.data(0, client);
    client.peer.answersPings = false;

    data.peer.socket.setReading(false);
    client.peer.sendMessage(300);
    await passTo(world, 1500);
    data.peer.sendPing();
    await passTo(world, 2500);
    expect(client.peer.socket.isPaused()).toBe(true);
    data.peer.socket.setReading(true);
    await passTo(world, 3500);
    expect(client.isOpen).toBe(true);
    await passTo(world, 4000);
    expect(client.peer.log.close?.code).toBe(1012);
    quiet.check();
  });
});
