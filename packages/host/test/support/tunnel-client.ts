import { once } from 'node:events';
import { formatUpgradeQuery, type PublicJwk } from '@openchambery/protocol';
import {
  createClientTunnel,
  openClientChannel,
  type ChannelEnd,
  type ClientTunnel,
  type HttpRequestHead,
} from '@openchambery/tunnel';
import { createWsTransport } from '@openchambery/tunnel/node';
import { onTestFinished } from 'vitest';
import { WebSocket } from 'ws';

/** A Client of the tests: Layers 2 and 3 over a socket to a relay. */
export interface TunnelClient {
  readonly tunnel: ClientTunnel;
  readonly socket: WebSocket;
  readonly opened: Promise<void>;
  readonly ended: Promise<ChannelEnd>;
}

export interface ClientFacts {
  readonly url: string;
  readonly serverId: string;
  readonly hostEncPubJwk: PublicJwk;
}

/** Connects to a relay; the channel may still be on its way. */
export async function connectClient(facts: ClientFacts): Promise<TunnelClient> {
  const query = formatUpgradeQuery({ role: 'client', serverId: facts.serverId });
  const socket = new WebSocket(`${facts.url}?${query}`, { perMessageDeflate: false });
  onTestFinished(() => socket.terminate());
  const opened = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<ChannelEnd>();
  opened.promise.catch(() => 'reported to whoever awaits it');
  await once(socket, 'open');
  const transport = createWsTransport(socket);
  const tunnel = createClientTunnel(
    {
      openChannel: (listener) =>
        openClientChannel({ transport, hostEncPubJwk: facts.hostEncPubJwk }, listener),
    },
    {
      onOpen: () => opened.resolve(),
      onClose: (end) => {
        opened.reject(new Error(`closed ${end.code} ${end.reason}`));
        ended.resolve(end);
      },
    },
  );
  return { tunnel, socket, opened: opened.promise, ended: ended.promise };
}

/** A request without a body, and the whole answer. */
export async function get(
  { tunnel }: TunnelClient,
  path: string,
  more: Partial<HttpRequestHead> = {},
): Promise<{ readonly status: number; readonly body: string }> {
  const stream = tunnel.request({ method: 'GET', path, query: '', headers: {}, ...more });
  stream.output.end();
  const { status } = await stream.response;
  let body = '';
  for (let chunk = await stream.body.read(); chunk !== undefined; chunk = await stream.body.read()) {
    body += Buffer.from(chunk).toString();
  }
  return { status, body };
}
