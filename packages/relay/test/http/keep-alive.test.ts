import { delay, RawSocket } from '@openchambery/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import { createRelayServer, type RelayServer } from '../../src/index.ts';

let relay: RelayServer | undefined;

afterEach(async () => relay?.close());

async function connect(handshakeMs: number): Promise<RawSocket> {
  relay = createRelayServer({ port: 0, limits: { handshakeMs } });
  await relay.start();
  return RawSocket.connect({ port: relay.address().port });
}

const handshakeMs = 300;
const request = 'GET /healthz HTTP/1.1\r\nHost: relay.test\r\n\r\n';

describe('a plain HTTP connection', () => {
  it('stays open between requests for longer than a request head may take', async () => {
    const raw = await connect(handshakeMs);
    for (let count = 0; count < 3; count++) {
      await raw.write(request);
      expect((await raw.response()).status).toBe(200);
      await delay(2 * handshakeMs);
    }
    expect(raw.isEnded).toBe(false);
    raw.destroy();
  });

  it('is ended when a later request head is not complete in time', async () => {
    const raw = await connect(handshakeMs);
    await raw.write(request);
    await raw.response();
    await raw.write('GET /healthz HTTP/1.1\r\nHost: rel');
    await raw.ended();
    expect(raw.isEnded).toBe(true);
  });
});
