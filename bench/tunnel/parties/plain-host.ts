/**
 * A Host without encryption and without streams: each Client's connection is bridged to a WebSocket of its own at the
 * origin, message by message.
 * Run as a program with a channel to its parent: `plain-host.ts RELAY_URL ORIGIN_PORT`.
 */
import { WebSocket } from 'ws';
import { argument } from './party-process.ts';
import { serveAsPlainHost, SOCKET_OPTIONS } from './plain-control.ts';

const HIGH_WATER_BYTES = 1024 * 1024;
const LOW_WATER_BYTES = 512 * 1024;

const originUrl = `ws://127.0.0.1:${argument(1)}/`;

// The origin first, so that nothing comes from the Client before it can go on.
serveAsPlainHost(argument(0), (url) => {
  const origin = new WebSocket(originUrl, SOCKET_OPTIONS);
  origin.on('open', () => {
    const client = new WebSocket(url, SOCKET_OPTIONS);
    forward(client, origin);
    forward(origin, client);
  });
});

function forward(source: WebSocket, target: WebSocket): void {
  source.on('message', (data, binary) => {
    if (target.bufferedAmount < HIGH_WATER_BYTES) {
      target.send(data, { binary });
      return;
    }
    source.pause();
    target.send(data, { binary }, () => {
      if (target.bufferedAmount <= LOW_WATER_BYTES) source.resume();
    });
  });
  source.on('close', () => target.close());
}
