import { CLOSE_CODE } from '@openchambery/protocol';
import type {
  ChannelEnd,
  Clock,
  HostStreamHandlers,
  HostTunnel,
  Timer,
  TunnelTraffic,
  TunnelTransport,
} from '@openchambery/tunnel';
import { createWsTransport } from '@openchambery/tunnel/node';
import { printable } from '../control/control-end.ts';
import type { RelaySocket } from '../relay/dial.ts';
import type { OpenDoor } from '../relay/relay-door.ts';

/** An encrypted frame has at most 65565 bytes, a hello a few hundred; a relay passes on no more than this by default. */
const MAX_DATA_MESSAGE_BYTES = 128 * 1024;

/** How long to wait before each further dial, in ms. A Client waits 15 s for its Host, which the sum stays below. */
const REDIAL_MS = [200, 500, 1000, 2000, 4000] as const;

/** How long a socket may live on after the relay said that the Client is gone: it delivers what it still has. In ms. */
const GONE_DEADLINE_MS = 10_000;

/** Ends of a data socket before its Client said a word after which another try may do better. */
const WORTH_ANOTHER_DIAL: readonly number[] = [1006, CLOSE_CODE.tryLater];

/** Layers 2 and 3 over a transport, at the Host. */
export type OpenTunnel = (transport: TunnelTransport, listener: TunnelListener) => HostTunnel;

/** What a tunnel tells its data connection. */
export interface TunnelListener extends HostStreamHandlers {
  onOpen(): void;
  onClose(end: ChannelEnd): void;
}

/** What a data connection tells: `onEnd` once, and last of all, once, `onGone`. */
export interface DataConnectionListener extends HostStreamHandlers {
  /** The Client has the keys: streams may come. */
  onOpen(): void;
  onEnd(end: DataConnectionEnd): void;
  /** It has no socket any more: a closing handshake goes on after the end. */
  onGone(): void;
}

/** How a data connection ended; `reason` is for people. */
export interface DataConnectionEnd {
  readonly reason: string;
  /** Whether something went wrong, and not just one of the two ends away. */
  readonly isFault: boolean;
}

/** What a data connection works with. */
export interface DataConnectionOptions {
  readonly connectionId: string;
  readonly openDoor: OpenDoor;
  readonly openTunnel: OpenTunnel;
  readonly clock: Clock;
}

type State =
  | { readonly phase: 'dialling'; readonly abort: () => void }
  | { readonly phase: 'waiting'; readonly timer: Timer }
  | { readonly phase: 'handshaking' | 'open'; readonly tunnel: HostTunnel }
  | { readonly phase: 'ended'; readonly traffic: TunnelTraffic };

const NO_TRAFFIC: TunnelTraffic = { sentBytes: 0, receivedBytes: 0, openStreams: 0 };

/** The Host's leg of one Client's tunnel, from the first dial to the end. */
export class DataConnection {
  readonly #options: DataConnectionOptions;
  readonly #listener: DataConnectionListener;
  #state: State;
  #dialCount = 0;
  #goneDeadline: Timer | undefined;
  #socketCount = 0;

  constructor(options: DataConnectionOptions, listener: DataConnectionListener) {
    this.#options = options;
    this.#listener = listener;
    this.#state = this.#dial();
  }

  /** Whether the encrypted channel stands. */
  get isOpen(): boolean {
    return this.#state.phase === 'open';
  }

  /** What went through it so far; nothing before the channel, and final after the end. */
  get traffic(): TunnelTraffic {
    switch (this.#state.phase) {
      case 'handshaking':
      case 'open':
        return this.#state.tunnel.traffic;
      case 'ended':
        return this.#state.traffic;
      default:
        return NO_TRAFFIC;
    }
  }

  /**
   * The relay no longer holds the Client. Nothing more is dialled; an open socket ends by itself, because what the Client
   * sent last is still on its way.
   */
  clientGone(): void {
    if (this.#state.phase === 'handshaking' || this.#state.phase === 'open') {
      this.#goneDeadline ??= this.#options.clock.setTimer(
        () => this.close(1000, 'the Client went away'),
        GONE_DEADLINE_MS,
      );
      return;
    }
    this.close(1000, 'the Client went away');
  }

  /** Ends it; `onEnd` follows in bounded time. Harmless when called again. */
  close(code: number, reason: string): void {
    switch (this.#state.phase) {
      case 'dialling':
        this.#state.abort();
        queueMicrotask(() => this.#end({ reason, isFault: false }));
        break;
      case 'waiting':
        this.#state.timer.cancel();
        queueMicrotask(() => this.#end({ reason, isFault: false }));
        break;
      case 'handshaking':
      case 'open':
        this.#state.tunnel.close(code, reason);
        break;
      case 'ended':
    }
  }

  #dial(): State {
    this.#dialCount += 1;
    const { openDoor, connectionId } = this.#options;
    const door = openDoor(
      { upgrade: { role: 'host-data', connectionId }, maxPayload: MAX_DATA_MESSAGE_BYTES },
      {
        onOpen: (connection) => this.#onSocket(connection),
        onFail: (reason) => this.#onDialFailed(reason),
      },
    );
    return { phase: 'dialling', abort: () => door.abort() };
  }

  #onSocket({ socket, stream }: RelaySocket): void {
    const transport = createWsTransport(socket, { clock: this.#options.clock, stream });
    const tunnel = this.#options.openTunnel(transport, {
      onOpen: () => this.#onTunnelOpen(tunnel),
      onClose: (end) => this.#onTunnelClosed(end),
      onRequest: (stream) => this.#listener.onRequest(stream),
      onSocket: (stream) => this.#listener.onSocket(stream),
    });
    this.#state = { phase: 'handshaking', tunnel };
    this.#socketCount += 1;
    // After the transport, which hears of it first.
    socket.once('close', () => {
      this.#socketCount -= 1;
      this.#tellIfGone();
    });
  }

  #onTunnelOpen(tunnel: HostTunnel): void {
    if (this.#state.phase !== 'handshaking') return;
    this.#state = { phase: 'open', tunnel };
    this.#listener.onOpen();
  }

  #onTunnelClosed(end: ChannelEnd): void {
    const reason = printable(end.reason) || `closed with ${end.code}`;
    const mayRetry =
      this.#state.phase === 'handshaking' &&
      this.#goneDeadline === undefined &&
      end.cause === 'peer' &&
      WORTH_ANOTHER_DIAL.includes(end.code);
    if (mayRetry) this.#onDialFailed(reason);
    else this.#end({ reason, isFault: isFault(end) });
  }

  #onDialFailed(reason: string): void {
    if (this.#state.phase === 'ended') return;
    const delayMs = REDIAL_MS[this.#dialCount - 1];
    if (delayMs === undefined) {
      this.#end({ reason: `no data connection to the relay: ${reason}`, isFault: true });
      return;
    }
    const timer = this.#options.clock.setTimer(() => {
      this.#state = this.#dial();
    }, delayMs);
    this.#state = { phase: 'waiting', timer };
  }

  #end(end: DataConnectionEnd): void {
    if (this.#state.phase === 'ended') return;
    this.#goneDeadline?.cancel();
    this.#state = { phase: 'ended', traffic: { ...this.traffic, openStreams: 0 } };
    this.#listener.onEnd(end);
    this.#tellIfGone();
  }

  #tellIfGone(): void {
    if (this.#state.phase === 'ended' && this.#socketCount === 0) this.#listener.onGone();
  }
}

/** A Client that left before its Host came (4002) is nobody's fault. */
function isFault({ cause, code }: ChannelEnd): boolean {
  if (cause !== 'peer') return cause !== 'local';
  return code === CLOSE_CODE.auth || code === CLOSE_CODE.limit || code === CLOSE_CODE.malformed;
}
