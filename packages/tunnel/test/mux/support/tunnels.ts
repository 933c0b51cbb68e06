import { FakeClock } from '@openchambery/testkit';
import {
  type ChannelEnd,
  type ClientTunnel,
  createClientTunnel,
  createHostTunnel,
  type HostHttpStream,
  type HostSocketStream,
  type HostTunnel,
  type IncomingBytes,
  type TunnelLimits,
  type TunnelSocketListener,
} from '../../../src/index.ts';
import { ScriptedChannel } from './scripted-channel.ts';

interface Wanted {
  readonly isBatching?: boolean;
  readonly limits?: Partial<TunnelLimits>;
  readonly isEstablished?: boolean;
}

interface Scripted {
  readonly channel: ScriptedChannel;
  readonly clock: FakeClock;
  readonly ends: ChannelEnd[];
  readonly bugs: unknown[];
}

/** A Client whose Host is the test. */
export function openClient(wanted: Wanted = {}): Scripted & { readonly tunnel: ClientTunnel } {
  const { channel, clock, ends, bugs } = scripted(wanted);
  const tunnel = createClientTunnel(
    { openChannel: channel.open, clock, limits: wanted.limits, reportBug: (bug) => bugs.push(bug) },
    { onOpen: () => undefined, onClose: (end) => ends.push(end) },
  );
  if (wanted.isEstablished !== false) channel.establish();
  return { tunnel, channel, clock, ends, bugs };
}

/** A Host whose Client is the test. */
export function openHost(
  wanted: Wanted & {
    readonly onRequest?: (stream: HostHttpStream) => void;
    readonly onSocket?: (stream: HostSocketStream) => void;
  } = {},
): Scripted & {
  readonly tunnel: HostTunnel;
  readonly requests: HostHttpStream[];
  readonly sockets: HostSocketStream[];
} {
  const { channel, clock, ends, bugs } = scripted(wanted);
  const requests: HostHttpStream[] = [];
  const sockets: HostSocketStream[] = [];
  const tunnel = createHostTunnel(
    { openChannel: channel.open, clock, limits: wanted.limits, reportBug: (bug) => bugs.push(bug) },
    {
      onOpen: () => undefined,
      onClose: (end) => ends.push(end),
      onRequest: wanted.onRequest ?? ((stream) => requests.push(stream)),
      onSocket: wanted.onSocket ?? ((stream) => sockets.push(stream)),
    },
  );
  if (wanted.isEstablished !== false) channel.establish();
  return { tunnel, channel, clock, ends, bugs, requests, sockets };
}

function scripted(wanted: Wanted): Scripted {
  return { channel: new ScriptedChannel(wanted), clock: new FakeClock(), ends: [], bugs: [] };
}

/** A listener that writes down what it hears. */
export function recordSocket(): TunnelSocketListener & {
  readonly messages: (string | Uint8Array)[];
  readonly closes: { readonly code: number; readonly reason: string }[];
  readonly drains: number;
} {
  const messages: (string | Uint8Array)[] = [];
  const closes: { readonly code: number; readonly reason: string }[] = [];
  let drains = 0;
  return {
    messages,
    closes,
    get drains() {
      return drains;
    },
    onMessage: (message) => messages.push(message),
    onDrain: () => {
      drains += 1;
    },
    onClose: (close) => closes.push(close),
  };
}

/** Everything that is left of a body. */
export async function readAll(body: IncomingBytes): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for (let chunk = await body.read(); chunk !== undefined; chunk = await body.read()) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** A payload of HttpRequest that is as good as any. */
export const GET = { method: 'GET', path: '/', query: '', headers: {} } as const;

/** A payload of HttpResponse that is as good as any. */
export const OK = { status: 200, headers: {} } as const;
