import type { Timer } from '@openchambery/wire';
import type { RelaySocket } from './connection/relay-socket.ts';
import type { Listener } from './http/listener.ts';
import type { RawSocketLimiter } from './http/raw-socket-limiter.ts';
import type { RelayContext } from './relay-context.ts';

/** The life of a server; it goes one way. */
export type LifecycleState = 'idle' | 'listening' | 'draining' | 'closed';

/** Shutdown is over after this long, whatever peers do, in ms (layer 1, section 7: within 10 s). */
const SHUTDOWN_MS = 9000;

/** What is started and stopped. */
export interface LifecycleParts {
  readonly context: RelayContext;
  readonly listener: Pick<Listener, 'listen' | 'close'>;
  readonly limiter: Pick<RawSocketLimiter, 'destroyAll'>;
}

/** Starts and stops a relay. */
export class Lifecycle {
  readonly #parts: LifecycleParts;
  #state: LifecycleState = 'idle';
  #closing: Promise<void> | undefined;

  constructor(parts: LifecycleParts) {
    this.#parts = parts;
  }

  get state(): LifecycleState {
    return this.#state;
  }

  async start(host: string, port: number): Promise<void> {
    if (this.#state !== 'idle') throw new Error(`the relay cannot be started: it is ${this.#state}`);
    await this.#parts.listener.listen(host, port);
    this.#state = 'listening';
  }

  close(): Promise<void> {
    this.#closing ??= this.#shutDown();
    return this.#closing;
  }

  /**
   * First those for whom data waits, so that it is flushed; then, as late as can be, everybody else: peers count
   * the time to their next attempt from their close, and the next process should be there by then.
   */
  async #shutDown(): Promise<void> {
    const { context, listener, limiter } = this.#parts;
    if (this.#state === 'listening') {
      this.#state = 'draining';
      const deadlineAtMs = context.clock.monotonicMs() + SHUTDOWN_MS;
      const busy = context.hosts.all().flatMap((host) => host.closeBusyConnections('stopping'));
      const flushMs = Math.min(context.limits.closeDeadlineMs, SHUTDOWN_MS / 2);
      await this.#waitUntilGone(busy, flushMs);
      for (const host of context.hosts.all()) host.close('stopping');
      const leftMs = Math.max(1, deadlineAtMs - context.clock.monotonicMs());
      await this.#waitUntilGone(context.sockets.all(), Math.min(leftMs, 2 * context.limits.closeDeadlineMs));
      const closed = listener.close();
      limiter.destroyAll();
      await closed;
    }
    this.#state = 'closed';
  }

  #waitUntilGone(sockets: readonly RelaySocket[], timeoutMs: number): Promise<void> {
    const { clock, sockets: registry } = this.#parts.context;
    const waiting = new Set(sockets.filter((socket) => registry.has(socket)));
    if (waiting.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const finish = (): void => {
        timer.cancel();
        stopWatching();
        resolve();
      };
      const timer: Timer = clock.setTimer(finish, timeoutMs);
      const stopWatching = registry.watchRemovals((socket) => {
        waiting.delete(socket);
        if (waiting.size === 0) finish();
      });
    });
  }
}
