import type { AddressInfo } from 'node:net';
import { createServer, type Server } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createRelayClient } from '../../src/create-relay-client.ts';
import type { RelayClient } from '../../src/relay-client.ts';
import { someOptions } from '../support/scripted-client.ts';

const servers: Server[] = [];
const clients: RelayClient[] = [];

afterEach(() => {
  for (const client of clients.splice(0)) client.close();
  for (const server of servers.splice(0)) server.close();
});

/** A server that answers every connection with the same text. @returns its port. */
async function answering(text: string): Promise<number> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end(text));
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

/** Why the first attempt failed. */
async function firstError(relayUrl: string): Promise<Error> {
  const client = createRelayClient({ ...someOptions, relayUrl });
  clients.push(client);
  return await new Promise((resolve) => {
    client.onStatus((status) => {
      if (status.state === 'reconnecting') resolve(status.error);
    });
    client.connect().catch(() => undefined);
  });
}

describe('what cannot be dialled', () => {
  it('is told with the address and the cause, and without the query', async () => {
    const port = await answering('');
    servers.splice(0).forEach((server) => server.close());
    const error = await firstError(`ws://127.0.0.1:${port}/ws`);
    expect(error).toMatchObject({ code: 'ERR_RELAY_CLIENT_UNREACHABLE', cause: { code: 'ECONNREFUSED' } });
    expect(error.message).toContain(`127.0.0.1:${port}`);
    expect(error.message).not.toContain('serverId');
  });

  it('is told with the status, when it is no WebSocket', async () => {
    const port = await answering('HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n');
    const error = await firstError(`ws://127.0.0.1:${port}/wrong`);
    expect(error.message).toContain('HTTP 404');
  });

  it('is told when it hangs up', async () => {
    const error = await firstError(`ws://127.0.0.1:${await answering('')}/ws`);
    expect(error).toMatchObject({ code: 'ERR_RELAY_CLIENT_UNREACHABLE' });
  });
});
