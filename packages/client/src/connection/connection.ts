import type { ClientTunnel, Clock, Timer, TunnelTraffic } from '@openchambery/tunnel';
import type { ClientStatus } from '../relay-client.ts';
import { closedError, RelayClientError } from '../relay-client-error.ts';
import type { Attempt, AttemptEnd, StartAttempt } from './attempt.ts';
import { backoffMs } from './backoff.ts';
import { wrongKeyError } from './end-of-attempt.ts';
import { StatusListeners } from './status-listeners.ts';
import { TrafficTotal } from './traffic-total.ts';
import type { TunnelSource } from './tunnel-source.ts';
import { WaitingRoom } from './waiting-room.ts';

/** How long a Host has to answer when the network may have changed, in ms; an attempt as old as that is begun anew. */
const PROBE_MS = 3000;

/** As many channels in a row that break before a frame of the Host could be read are no accident. */
const SUSPICIOUS_BREAKS = 2;

/** What a connection is made with. */
export interface ConnectionParts {
  readonly startAttempt: StartAttempt;
  readonly clock: Clock;
  /** 0 ≤ x < 1. */
  readonly random: () => number;
  /** How long somebody waits for a tunnel, in ms. */
  readonly connectTimeoutMs: number;
}

type State =
  | { readonly kind: 'idle' }
  | { readonly kind: 'attempting'; readonly attempt: Attempt; readonly startedAtMs: number }
  | { readonly kind: 'connected'; readonly attempt: Attempt; readonly tunnel: ClientTunnel }
  | { readonly kind: 'waiting'; readonly timer: Timer; readonly retryAtMs: number }
  | { readonly kind: 'failed'; readonly error: RelayClientError }
  | { readonly kind: 'closed' };

/** The way to the Host: made at the first use, and made anew whenever it breaks, until it is closed. */
export class Connection implements TunnelSource {
  readonly #parts: ConnectionParts;
  readonly #room: WaitingRoom;
  readonly #traffic = new TrafficTotal();
  readonly #listeners = new StatusListeners();
  #state: State = { kind: 'idle' };
  /** Why there was no connection the last time; `undefined` before the first failure and while connected. */
  #lastError: RelayClientError | undefined;
  /** In a row, since a frame of the Host could be read. */
  #failures = 0;
  #suspiciousBreaks = 0;

  constructor(parts: ConnectionParts) {
    this.#parts = parts;
    const { clock, connectTimeoutMs: timeoutMs } = parts;
    this.#room = new WaitingRoom({ clock, timeoutMs, timeoutError: () => this.#timeoutError() });
  }

  get status(): ClientStatus {
    const state = this.#state;
    switch (state.kind) {
      case 'attempting':
        return this.#lastError === undefined
          ? { state: 'connecting' }
          : { state: 'reconnecting', error: this.#lastError, retryInMs: 0 };
      case 'waiting': {
        const retryInMs = Math.max(0, state.retryAtMs - this.#parts.clock.monotonicMs());
        return { state: 'reconnecting', error: this.#lastError ?? this.#timeoutError(), retryInMs };
      }
      case 'failed':
        return { state: 'failed', error: state.error };
      case 'idle':
      case 'connected':
      case 'closed':
        return { state: state.kind };
    }
  }

  get traffic(): TunnelTraffic {
    return this.#traffic.with(this.#state.kind === 'connected' ? this.#state.tunnel : undefined);
  }

  onStatus(listener: (status: ClientStatus) => void): () => void {
    return this.#listeners.add(listener);
  }

  /** Resolves once connected. Unlike {@link tunnel}, tries again after a refusal. */
  async connect(): Promise<void> {
    if (this.#state.kind === 'failed') {
      this.#lastError = undefined;
      this.#begin();
    }
    await this.tunnel();
  }

  tunnel(signal?: AbortSignal): Promise<ClientTunnel> {
    const state = this.#state;
    if (state.kind === 'connected') return Promise.resolve(state.tunnel);
    if (state.kind === 'closed') return Promise.reject(closedError());
    if (state.kind === 'failed') return Promise.reject(state.error);
    if (state.kind === 'idle') this.#begin();
    return this.#room.wait(signal);
  }

  lossError(): RelayClientError {
    if (this.#state.kind === 'closed') return closedError();
    const cause = this.#lastError;
    const why = cause === undefined ? 'the connection to the Host broke' : cause.message;
    const { closeCode, reason } = cause ?? {};
    const facts = { closeCode, reason, cause };
    // A key that does not fit is not put right by trying again.
    const code =
      cause?.code === 'ERR_RELAY_CLIENT_HANDSHAKE' ? cause.code : 'ERR_RELAY_CLIENT_CONNECTION_LOST';
    return new RelayClientError(code, why, facts);
  }

  networkChanged(): void {
    const state = this.#state;
    if (state.kind === 'waiting') {
      state.timer.cancel();
      this.#begin();
    } else if (state.kind === 'connected') {
      void this.#probe(state);
    } else if (state.kind === 'attempting') {
      // Perhaps under way on a network that is gone.
      if (this.#parts.clock.monotonicMs() - state.startedAtMs < PROBE_MS) return;
      state.attempt.terminate();
      this.#begin();
    }
  }

  close(): void {
    const state = this.#state;
    if (state.kind === 'closed') return;
    this.#enter({ kind: 'closed' });
    if (state.kind === 'waiting') state.timer.cancel();
    if (state.kind === 'attempting' || state.kind === 'connected') state.attempt.close();
    this.#room.refuse(closedError());
    this.#listeners.clear();
  }

  #begin(): void {
    const attempt = this.#parts.startAttempt({
      onOpen: (tunnel) => this.#onOpen(attempt, tunnel),
      onEnd: (end) => this.#onEnd(end),
    });
    this.#enter({ kind: 'attempting', attempt, startedAtMs: this.#parts.clock.monotonicMs() });
  }

  #onOpen(attempt: Attempt, tunnel: ClientTunnel): void {
    this.#lastError = undefined;
    this.#room.admit(tunnel);
    this.#enter({ kind: 'connected', attempt, tunnel });
  }

  #onEnd(end: AttemptEnd): void {
    const error = this.#judge(end);
    this.#lastError = error;
    if (error.isTerminal) {
      this.#failures = 0;
      this.#room.refuse(error);
      this.#enter({ kind: 'failed', error });
      return;
    }
    this.#failures += 1;
    const { clock, random } = this.#parts;
    const delayMs = backoffMs(this.#failures, random);
    const timer = clock.setTimer(() => this.#begin(), delayMs);
    this.#enter({ kind: 'waiting', timer, retryAtMs: clock.monotonicMs() + delayMs });
  }

  /** What an end means in the light of those before it. */
  #judge({ error, proof }: AttemptEnd): RelayClientError {
    // Establishing proves nothing of the Host's key: the answer to the hello is plaintext.
    if (proof === 'given') {
      this.#failures = 0;
      this.#suspiciousBreaks = 0;
    } else if (proof === 'missing') {
      this.#suspiciousBreaks += 1;
    }
    const isSuspicious = proof === 'missing' && this.#suspiciousBreaks >= SUSPICIOUS_BREAKS;
    return isSuspicious && !error.isTerminal ? wrongKeyError(this.#suspiciousBreaks, error) : error;
  }

  /** A Host that gives no sign of life on the network as it is now is given up at once. */
  async #probe(state: Extract<State, { kind: 'connected' }>): Promise<void> {
    const isAlive = await state.tunnel.probe(PROBE_MS);
    if (isAlive || this.#state !== state) return;
    const message = `the connection to the Host gave no sign of life within ${PROBE_MS / 1000} s`;
    this.#lastError = new RelayClientError('ERR_RELAY_CLIENT_CONNECTION_LOST', message);
    this.#begin();
    state.attempt.terminate();
  }

  #enter(state: State): void {
    if (this.#state.kind === 'connected') this.#traffic.add(this.#state.tunnel);
    this.#state = state;
    this.#listeners.tell(this.status);
  }

  #timeoutError(): RelayClientError {
    const seconds = this.#parts.connectTimeoutMs / 1000;
    const cause = this.#lastError;
    if (cause === undefined) {
      const message = `no connection to the Host within ${seconds} s`;
      return new RelayClientError('ERR_RELAY_CLIENT_CONNECT_TIMEOUT', message);
    }
    const { closeCode, reason } = cause;
    const message = `no connection to the Host within ${seconds} s: ${cause.message}`;
    // What is waited for was not sent, so nothing of it was lost.
    const code =
      cause.code === 'ERR_RELAY_CLIENT_CONNECTION_LOST' ? 'ERR_RELAY_CLIENT_CONNECT_TIMEOUT' : cause.code;
    return new RelayClientError(code, message, { closeCode, reason, cause });
  }
}
