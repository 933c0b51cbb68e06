import type { ClientTunnel, Clock, Timer, TunnelTransport } from '@openchambery/tunnel';
import { RelayClientError } from '../relay-client-error.ts';
import type { Dial, Dialling } from '../transport/dial.ts';
import { readChannelEnd } from './end-of-attempt.ts';
import type { KeyProof, OpenedTunnel, OpenTunnel } from './open-tunnel.ts';

/** How long the relay has to open the WebSocket, in ms. */
const DIAL_MS = 15_000;

/** How an attempt ended. */
export interface AttemptEnd {
  readonly error: RelayClientError;
  readonly proof: KeyProof;
}

/** What an attempt tells, asynchronously: `onOpen` at most once, then `onEnd` once and last. */
export interface AttemptListener {
  onOpen(tunnel: ClientTunnel): void;
  onEnd(end: AttemptEnd): void;
}

/** One try to get through to the Host, and the connection that came of it. */
export interface Attempt {
  /** Ends it with a closing handshake where there is someone to do it with. Nothing is told any more. */
  close(): void;
  /** Destroys it at once, for a peer that may be dead. Nothing is told any more. */
  terminate(): void;
}

/** Begins an attempt. */
export type StartAttempt = (listener: AttemptListener) => Attempt;

/** What an attempt is made with. */
export interface AttemptParts {
  /** With the query of the upgrade. */
  readonly url: string;
  readonly dial: Dial;
  readonly openTunnel: OpenTunnel;
  readonly clock: Clock;
}

type Phase =
  | { readonly kind: 'dialling'; readonly dialling: Dialling; readonly deadline: Timer }
  /** `isEstablished` once both ends have the keys. */
  | { readonly kind: 'tunnel'; readonly transport: TunnelTransport; readonly opened: OpenedTunnel }
  | { readonly kind: 'over' };

/** Dials, then opens a tunnel over what was dialled. */
export function attemptStarter(parts: AttemptParts): StartAttempt {
  return (listener) => new DialledAttempt(parts, listener);
}

class DialledAttempt implements Attempt {
  readonly #parts: AttemptParts;
  readonly #listener: AttemptListener;
  #phase: Phase;
  #isEstablished = false;

  constructor(parts: AttemptParts, listener: AttemptListener) {
    this.#parts = parts;
    this.#listener = listener;
    const deadline = parts.clock.setTimer(() => this.#onDialTimeout(), DIAL_MS);
    this.#phase = { kind: 'dialling', dialling: this.#dial(), deadline };
  }

  close(): void {
    const phase = this.#leave();
    if (phase.kind === 'tunnel') phase.opened.tunnel.close(1000, 'the Client was closed');
  }

  terminate(): void {
    const phase = this.#leave();
    if (phase.kind !== 'tunnel') return;
    phase.opened.tunnel.close(1000, 'no sign of life');
    phase.transport.terminate();
  }

  #dial(): Dialling {
    try {
      return this.#parts.dial(this.#parts.url, {
        onOpen: (transport) => this.#onDialled(transport),
        onFail: ({ message, cause }) => this.#unreachable(message, cause),
      });
    } catch (cause) {
      // A browser throws where a page may not open such a socket: `ws:` from a page of `https:`.
      queueMicrotask(() => this.#unreachable(cause instanceof Error ? cause.message : 'not allowed', cause));
      return { cancel: () => undefined };
    }
  }

  #onDialTimeout(): void {
    if (this.#phase.kind !== 'dialling') return;
    this.#phase.dialling.cancel();
    this.#unreachable(`no answer within ${DIAL_MS / 1000} s`);
  }

  #unreachable(message: string, cause?: unknown): void {
    if (this.#phase.kind !== 'dialling') return;
    const text = `the relay at ${new URL(this.#parts.url).host} cannot be reached: ${message}`;
    this.#finish(new RelayClientError('ERR_RELAY_CLIENT_UNREACHABLE', text, { cause }), 'none');
  }

  #onDialled(transport: TunnelTransport): void {
    if (this.#phase.kind !== 'dialling') return;
    this.#phase.deadline.cancel();
    const opened = this.#parts.openTunnel(transport, {
      onOpen: () => {
        if (this.#phase.kind === 'over') return;
        this.#isEstablished = true;
        this.#listener.onOpen(opened.tunnel);
      },
      onClose: (end) => this.#finish(readChannelEnd(end, this.#isEstablished), opened.proof()),
    });
    this.#phase = { kind: 'tunnel', transport, opened };
  }

  #finish(error: RelayClientError, proof: KeyProof): void {
    if (this.#leave().kind !== 'over') this.#listener.onEnd({ error, proof });
  }

  /** Nothing is told from here on. @returns the phase that was left. */
  #leave(): Phase {
    const phase = this.#phase;
    this.#phase = { kind: 'over' };
    if (phase.kind === 'dialling') {
      phase.deadline.cancel();
      phase.dialling.cancel();
    }
    return phase;
  }
}
