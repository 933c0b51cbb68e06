import { type ByteStream, createNodeAeadKey, createWsTransport } from '@openchambery/tunnel/node';
import { WebSocket } from 'ws';
import type { DialListener, Dialling, Platform } from './dial.ts';

/** More than any message of the tunnel has, whose plaintext is at most 64 KiB: a relay passes on 128 KiB at most. */
const MAX_MESSAGE_BYTES = 131_072;

/** WebSockets of the npm package `ws`, which can stop reading, and the cipher of node:crypto. */
export const platform: Platform = { dial, importAeadKey: createNodeAeadKey };

function dial(url: string, listener: DialListener): Dialling {
  const socket = new WebSocket(url, { perMessageDeflate: false, maxPayload: MAX_MESSAGE_BYTES });
  let isOver = false;
  const fail = (message: string, cause?: unknown): void => {
    if (isOver) return;
    isOver = true;
    listener.onFail({ message, cause });
  };
  let stream: ByteStream | undefined;
  socket.on('upgrade', (response) => {
    stream = response.socket;
  });
  socket.on('open', () => {
    if (isOver) return;
    isOver = true;
    listener.onOpen(createWsTransport(socket, { stream }));
  });
  socket.on('unexpected-response', (_request, response) => {
    fail(`the relay answered HTTP ${response.statusCode} instead of opening a WebSocket: is the path right?`);
    socket.terminate();
  });
  // Also emitted by `terminate` while connecting, when it is over already; once open, `close` follows and tells.
  socket.on('error', (error) => fail(error.message || 'the connection failed', error));
  return {
    cancel: () => {
      if (isOver) return;
      isOver = true;
      socket.terminate();
    },
  };
}
