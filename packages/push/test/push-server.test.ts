import { join } from 'node:path';
import { makeApnsKey, RawSocket, withTimeout } from '@openchambery/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createPushServer, type PushServer } from '../src/index.ts';
import type { PushOptions } from '../src/index.ts';
import { temporaryFolder } from './sqlite/support.ts';
import { RecordingLogger } from './support/recording-logger.ts';

function makeServer(options: Partial<PushOptions> = {}): PushServer {
  const { keyId, teamId, p8 } = makeApnsKey();
  const server = createPushServer({
    port: 0,
    databasePath: join(temporaryFolder(), 'push.sqlite'),
    apnsKeyId: keyId,
    apnsTeamId: teamId,
    apnsP8: p8,
    ...options,
  });
  onTestFinished(() => server.close());
  return server;
}

describe('the life of a push server', () => {
  it('ends in order although close is called while it starts', async () => {
    const server = makeServer();
    const started = server.start();
    await server.close();
    await withTimeout(started, () => 'the start is never settled');
    expect(() => server.address()).toThrow('not listening');
  });

  it('does not begin after its end', async () => {
    const server = makeServer();
    await server.close();
    await expect(server.start()).rejects.toThrow('closed');
    expect(() => server.address()).toThrow('not listening');
  });

  it('begins once', async () => {
    const server = makeServer();
    await server.start();
    await expect(server.start()).rejects.toThrow('before');
  });

  it('can be ended after a start that failed', async () => {
    const first = makeServer();
    await first.start();
    const second = makeServer({ port: first.address().port });
    await expect(second.start()).rejects.toMatchObject({ code: 'EADDRINUSE' });
    await second.close();
  });
});

describe('a flood of other paths', () => {
  it('is told without the name of a limit that nobody can set', async () => {
    const logger = new RecordingLogger();
    const server = makeServer({ logger });
    await server.start();
    const socket = await RawSocket.connect(server.address());
    const get = 'GET /x HTTP/1.1\r\nHost: x\r\n\r\n';
    for (let count = 0; count < 1200; count += 1) {
      await socket.write(get);
      expect((await socket.response()).status).toBe(404);
    }
    await socket.write(get);
    await socket.ended();
    expect(JSON.stringify(logger)).toContain('plain-rate');
    expect(JSON.stringify(logger)).not.toMatch(/[A-Z]+_[A-Z]+/u);
  });
});
