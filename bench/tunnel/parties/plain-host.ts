/**
 * A Host without encryption and without streams: each Client's connection is bridged to a WebSocket of its own at the
 * origin, message by message.
 * Run as a program with a channel to its parent: `plain-host.ts RELAY_URL ORIGIN_PORT`.
 */
import { WebSocket } from 'ws';
import { createHostKey, hostQuery } from '../../load/host-key.ts';
import { argument, ready } from './party-process.ts';

const HIGH_WATER_BYTES = 1024 * 1024;
const LOW_WATER_BYTES = 512 * 1024;
const OPTIONS = { perMessageDeflate: false, skipUTF8Validation: true };

const relayUrl = argument(0);
const originUrl = `ws://127.0.0.1:${argument(1)}/`;
const key = createHostKey();

const control = new WebSocket(`${relayUrl}?${hostQuery(key)}`, OPTIONS);
control.on('message', (data: Buffer) => {
  const message = JSON.parse(data.toString()) as { readonly type: string; readonly connectionId: string };
  if (message.type === 'sync') ready({ serverId: key.serverId });
  if (message.type === 'connected') bridge(message.connectionId);
});

/** The origin first, so that nothing comes from the Client before it can go on. */
function bridge(connectionId: string): void {
  const origin = new WebSocket(originUrl, OPTIONS);
  origin.on('open', () => {
    const client = new WebSocket(`${relayUrl}?${hostQuery(key, connectionId)}`, OPTIONS);
    forward(client, origin);
    forward(origin, client);
  });
}

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
