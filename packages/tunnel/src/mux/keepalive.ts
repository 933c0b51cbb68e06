import type { Clock, Timer } from '../clock.ts';
import { KEEPALIVE } from '../limits.ts';

/** Which end of the tunnel this is. */
export type TunnelRole = 'client' | 'host';

/** What keepalive needs to know of the tunnel, and to do with it. */
export interface KeepaliveParts {
  readonly clock: Clock;
  /** Whether this end does not read at the moment, and so cannot hear the peer. */
  isDeaf(): boolean;
  /** When something was last sent, on the monotonic clock. */
  lastSentAt(): number;
  ping(): void;
  /** The peer gives no sign of life. */
  onSilent(): void;
}

type KeepaliveState =
  | { readonly name: 'idle' }
  | { readonly name: 'watching'; readonly timer: Timer }
  /** A Ping went out, or waits to; a frame of any kind answers it. */
  | { readonly name: 'asking'; readonly timer: Timer };

/**
 * Looks for life. A Client asks when it has sent nothing for a while, even if it hears a lot: a Host counts what it hears,
 * and would give up a Client that does nothing but download. And it asks when it has heard nothing for a while, even if it
 * sends a lot: a network that is gone takes a little now and then for a long time. A Host only listens. No timer is touched
 * per frame: one that comes too early is set for the rest.
 */
export class Keepalive {
  readonly #role: TunnelRole;
  readonly #parts: KeepaliveParts;
  #state: KeepaliveState = { name: 'idle' };
  #lastHeardAt = 0;
  #hasHeard = false;

  constructor(role: TunnelRole, parts: KeepaliveParts) {
    this.#role = role;
    this.#parts = parts;
  }

  /** The channel is established. */
  start(): void {
    this.heard();
    this.#watch(this.#role === 'client' ? KEEPALIVE.clientIdleMs : KEEPALIVE.hostSilenceMs);
  }

  stop(): void {
    if (this.#state.name !== 'idle') this.#state.timer.cancel();
    this.#state = { name: 'idle' };
  }

  /** Something came, or could not come because nothing was read. */
  heard(): void {
    this.#hasHeard = true;
    this.#lastHeardAt = this.#parts.clock.monotonicMs();
  }

  /** What was sent is still leaving, slowly: a Ping would come behind it, and its answer late. */
  progressed(): void {
    if (this.#role === 'client') this.heard();
  }

  #watch(delayMs: number): void {
    const timer = this.#parts.clock.setTimer(() => this.#look(), delayMs);
    this.#state = { name: 'watching', timer };
  }

  #look(): void {
    if (this.#parts.isDeaf()) this.heard();
    if (this.#role === 'host') return this.#lookForClient();
    if (this.#state.name === 'asking' && !this.#hasHeard) return this.#giveUp();
    this.#askIfQuiet();
  }

  #lookForClient(): void {
    const left = this.#lastHeardAt + KEEPALIVE.hostSilenceMs - this.#parts.clock.monotonicMs();
    if (left <= 0) this.#giveUp();
    else this.#watch(left);
  }

  #askIfQuiet(): void {
    const quietSince = Math.min(this.#parts.lastSentAt(), this.#lastHeardAt);
    const left = quietSince + KEEPALIVE.clientIdleMs - this.#parts.clock.monotonicMs();
    if (left > 0) return this.#watch(left);
    this.#hasHeard = false;
    this.#parts.ping();
    const timer = this.#parts.clock.setTimer(() => this.#look(), KEEPALIVE.clientAnswerMs);
    this.#state = { name: 'asking', timer };
  }

  #giveUp(): void {
    this.#state = { name: 'idle' };
    this.#parts.onSilent();
  }
}
