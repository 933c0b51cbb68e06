import { parseControlMessage, type ControlMessage } from '@openchambery/protocol';
import type { Clock, Timer, TunnelTransport } from '@openchambery/tunnel';
import { createWsTransport } from '@openchambery/tunnel/node';
import type { WebSocket } from 'ws';
import type { OpenDoor } from '../relay/relay-door.ts';
import type { ControlEnd } from './control-end.ts';

/** How often the relay is pinged, in ms. */
const PING_EVERY_MS = 30_000;

/** How long the relay may show no sign of life: no message, ping or pong. In ms. */
const SILENCE_MS = 40_000;

/** How long the relay may take from the upgrade to its first message, in ms. */
const SYNC_DEADLINE_MS = 10_000;

/** Room for a sync of 80000 Clients; a relay queues no more for a Host. */
const MAX_CONTROL_MESSAGE_BYTES = 2 * 1024 * 1024;

/** What a control connection tells. Nothing is called after `onEnd`, which is called once. */
export interface ControlListener {
  /** The first one is always `sync`. */
  onMessage(message: ControlMessage): void;
  onEnd(end: ControlEnd): void;
}

/** A control connection, from its dial on. */
export interface ControlConnection {
  /** Closes it, or gives up dialling; `onEnd` follows in bounded time. Harmless when called again. */
  close(reason: string): void;
}

/** Opens a control connection; the listener hears of it asynchronously. */
export type OpenControl = (listener: ControlListener) => ControlConnection;

type State =
  | { readonly phase: 'dialling'; readonly abort: () => void }
  | { readonly phase: 'awaiting-sync' | 'synced'; readonly link: ControlLink }
  | { readonly phase: 'ended' };

/** Control connections of one Host, through its door to the relay. */
export function createControlOpener(openDoor: OpenDoor, clock: Clock): OpenControl {
  return (listener) => new DialledControl(openDoor, clock, listener);
}

class DialledControl implements ControlConnection {
  readonly #clock: Clock;
  readonly #listener: ControlListener;
  #state: State;

  constructor(openDoor: OpenDoor, clock: Clock, listener: ControlListener) {
    this.#clock = clock;
    this.#listener = listener;
    const door = openDoor(
      { upgrade: { role: 'host-control' }, maxPayload: MAX_CONTROL_MESSAGE_BYTES },
      {
        onOpen: ({ socket }) => this.#onOpen(socket),
        onFail: (reason) => this.#end({ kind: 'unreachable', reason }),
      },
    );
    this.#state = { phase: 'dialling', abort: () => door.abort() };
  }

  close(reason: string): void {
    if (this.#state.phase === 'ended') return;
    if (this.#state.phase !== 'dialling') {
      this.#state.link.close(reason);
      return;
    }
    this.#state.abort();
    queueMicrotask(() => this.#end({ kind: 'dead', reason }));
  }

  #onOpen(socket: WebSocket): void {
    const link = new ControlLink(socket, this.#clock, {
      onText: (text) => this.#onText(link, text),
      onEnd: (end) => this.#end(end),
    });
    this.#state = { phase: 'awaiting-sync', link };
  }

  #onText(link: ControlLink, text: string): void {
    // Of another type, or malformed: a later version of the contract may add some.
    const message = parseControlMessage(text);
    if (message === undefined || this.#state.phase === 'ended') return;
    if (this.#state.phase === 'awaiting-sync') {
      // Without the list of what it holds, nothing the relay says can be acted upon.
      if (message.type !== 'sync') return;
      this.#state = { phase: 'synced', link };
      link.synced();
    }
    this.#listener.onMessage(message);
  }

  #end(end: ControlEnd): void {
    if (this.#state.phase === 'ended') return;
    this.#state = { phase: 'ended' };
    this.#listener.onEnd(end);
  }
}

interface LinkListener {
  onText(text: string): void;
  onEnd(end: ControlEnd): void;
}

/** An open control socket with its watch over signs of life. */
class ControlLink {
  readonly #transport: TunnelTransport;
  readonly #clock: Clock;
  readonly #listener: LinkListener;
  /** Why this side gave the socket up, if it did. */
  #giveUp: string | undefined;
  #lastLifeMs: number;
  #silence: Timer;
  #ping: Timer;
  #syncDeadline: Timer;

  constructor(socket: WebSocket, clock: Clock, listener: LinkListener) {
    this.#clock = clock;
    this.#listener = listener;
    this.#lastLifeMs = clock.monotonicMs();
    this.#silence = clock.setTimer(() => this.#onSilenceDue(), SILENCE_MS);
    this.#ping = clock.setTimer(() => this.#onPingDue(socket), PING_EVERY_MS);
    this.#syncDeadline = clock.setTimer(
      () =>
        this.#terminate('the relay did not say which Clients it holds; does another service answer there?'),
      SYNC_DEADLINE_MS,
    );
    socket.on('ping', () => this.#onLife());
    socket.on('pong', () => this.#onLife());
    this.#transport = createWsTransport(socket, { clock });
    this.#transport.listen({
      onMessage: (message) => this.#onMessage(message),
      onDrain: () => undefined,
      onClose: (end) => this.#onClose(end),
    });
  }

  /** The relay has said what it must say first. */
  synced(): void {
    this.#syncDeadline.cancel();
  }

  close(reason: string): void {
    this.#giveUp ??= reason;
    this.#transport.close(1000, reason);
  }

  #onMessage(message: string | Uint8Array): void {
    this.#onLife();
    if (typeof message === 'string') this.#listener.onText(message);
  }

  #onLife(): void {
    this.#lastLifeMs = this.#clock.monotonicMs();
  }

  /** The timer is not moved with every sign of life: it looks back when it is due. */
  #onSilenceDue(): void {
    const leftMs = this.#lastLifeMs + SILENCE_MS - this.#clock.monotonicMs();
    if (leftMs > 0) this.#silence = this.#clock.setTimer(() => this.#onSilenceDue(), leftMs);
    else this.#terminate(`the relay was silent for ${SILENCE_MS / 1000} s`);
  }

  #onPingDue(socket: WebSocket): void {
    if (socket.readyState === socket.OPEN) socket.ping();
    this.#ping = this.#clock.setTimer(() => this.#onPingDue(socket), PING_EVERY_MS);
  }

  /** At once: there is nobody to say goodbye to. */
  #terminate(reason: string): void {
    this.#giveUp ??= reason;
    this.#transport.terminate();
  }

  #onClose(end: { readonly code: number; readonly reason: string }): void {
    for (const timer of [this.#silence, this.#ping, this.#syncDeadline]) timer.cancel();
    if (this.#giveUp === undefined) this.#listener.onEnd({ kind: 'closed', ...end });
    else this.#listener.onEnd({ kind: 'dead', reason: this.#giveUp });
  }
}
