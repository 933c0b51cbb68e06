import {
  type ClientSocketOpening,
  type ClientTunnel,
  type HttpRequestHead,
  StreamError,
  type TunnelSocket,
  type TunnelSocketListener,
  type WsOpenHead,
} from '@openchambery/tunnel';
import type { AttemptEnd, AttemptListener, StartAttempt } from '../../src/connection/attempt.ts';
import { RelayClientError } from '../../src/relay-client-error.ts';
import { ScriptedStream } from './scripted-stream.ts';

/** A WebSocket stream whose other end is the test. */
export class ScriptedSocket implements TunnelSocket {
  readonly id = 1;
  readonly head: WsOpenHead;
  readonly listener: TunnelSocketListener;
  readonly opening: ClientSocketOpening;
  readonly sent: (string | Uint8Array)[] = [];
  readonly closes: { readonly code: number; readonly reason: string }[] = [];
  readonly aborts: string[] = [];
  bufferedBytes = 0;
  #resolve: (protocol: string | undefined) => void = () => undefined;
  #reject: (error: unknown) => void = () => undefined;

  constructor(head: WsOpenHead, listener: TunnelSocketListener) {
    this.head = head;
    this.listener = listener;
    const opened = new Promise<{ socket: TunnelSocket; head: { protocol?: string | undefined } }>(
      (resolve, reject) => {
        this.#resolve = (protocol) => resolve({ socket: this, head: { protocol } });
        this.#reject = reject;
      },
    );
    const abort = (reason: string): void => {
      this.aborts.push(reason);
      this.#reject(new StreamError('ERR_TUNNEL_STREAM_CANCELLED', reason));
    };
    this.opening = { opened, abort };
  }

  accept(protocol?: string): void {
    this.#resolve(protocol);
  }

  refuse(reason: string): void {
    this.#reject(new StreamError('ERR_TUNNEL_STREAM_ABORTED', reason));
  }

  lose(): void {
    this.#reject(new StreamError('ERR_TUNNEL_CLOSED', 'scripted'));
  }

  send(message: string | Uint8Array): boolean {
    this.sent.push(message);
    return true;
  }

  pause(): void {
    throw new Error('nobody pauses a WebSocket of the standard');
  }

  resume(): void {
    throw new Error('nobody pauses a WebSocket of the standard');
  }

  close(code: number, reason: string): void {
    this.closes.push({ code, reason });
  }

  abort(reason: string): void {
    this.aborts.push(reason);
  }
}

/** A tunnel whose other end is the test. */
export class ScriptedTunnel implements ClientTunnel {
  readonly streams: ScriptedStream[] = [];
  readonly sockets: ScriptedSocket[] = [];
  readonly probes: ((isAlive: boolean) => void)[] = [];
  traffic = { sentBytes: 0, receivedBytes: 0, openStreams: 0 };
  /** What `write` of a new stream gives. */
  hasRoom = true;
  closedWith: { readonly code: number; readonly reason: string } | undefined;
  /** Thrown by the next request or WebSocket. */
  refusal: Error | undefined;

  request(head: HttpRequestHead): ScriptedStream {
    if (this.refusal !== undefined) throw this.refusal;
    const stream = new ScriptedStream(head);
    stream.hasRoom = this.hasRoom;
    this.streams.push(stream);
    return stream;
  }

  openSocket(head: WsOpenHead, listener: TunnelSocketListener): ClientSocketOpening {
    if (this.refusal !== undefined) throw this.refusal;
    const socket = new ScriptedSocket(head, listener);
    this.sockets.push(socket);
    return socket.opening;
  }

  probe(): Promise<boolean> {
    return new Promise((resolve) => this.probes.push(resolve));
  }

  close(code: number, reason: string): void {
    this.closedWith ??= { code, reason };
    this.breakStreams();
  }

  breakStreams(): void {
    for (const stream of this.streams) stream.break('ERR_TUNNEL_CLOSED');
    for (const socket of this.sockets) socket.listener.onClose({ code: 1012, reason: '' });
  }

  stream(index = this.streams.length - 1): ScriptedStream {
    const stream = this.streams.at(index);
    if (stream === undefined) throw new Error('there is no such stream');
    return stream;
  }
}

/** An attempt that goes as the test says. */
export class ScriptedAttempt {
  readonly tunnel = new ScriptedTunnel();
  readonly #listener: AttemptListener;
  ended: 'closed' | 'terminated' | 'over' | undefined;

  constructor(listener: AttemptListener) {
    this.#listener = listener;
  }

  open(): ScriptedTunnel {
    this.#listener.onOpen(this.tunnel);
    return this.tunnel;
  }

  end(error: RelayClientError, proof: AttemptEnd['proof'] = 'none'): void {
    this.ended = 'over';
    this.#listener.onEnd({ error, proof });
    this.tunnel.breakStreams();
  }

  /** The connection breaks after frames of the Host were read. */
  lose(): void {
    this.end(new RelayClientError('ERR_RELAY_CLIENT_CONNECTION_LOST', 'it broke'), 'given');
  }

  close(): void {
    this.ended = 'closed';
    this.tunnel.close(1000, '');
  }

  terminate(): void {
    this.ended = 'terminated';
    this.tunnel.close(1000, '');
  }
}

/** Attempts in the order they were started. */
export class ScriptedAttempts {
  readonly all: ScriptedAttempt[] = [];

  readonly start: StartAttempt = (listener) => {
    const attempt = new ScriptedAttempt(listener);
    this.all.push(attempt);
    return attempt;
  };

  get last(): ScriptedAttempt {
    const attempt = this.all.at(-1);
    if (attempt === undefined) throw new Error('nothing was attempted');
    return attempt;
  }
}
