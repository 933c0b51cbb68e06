import type { Listener, Mount, Mounted, RawSocketLimiter } from '@openchambery/daemon';
import type { Timer } from '@openchambery/wire';
import type { RelaySocket } from './connection/relay-socket.ts';
import type { RelayContext } from './relay-context.ts';
import type { RefusedSockets } from './upgrade/refused-sockets.ts';

/** The life of a server; it goes one way. */
export type LifecycleState = 'idle' | 'starting' | 'listening' | 'draining' | 'closed';

/** Shutdown is over after this long, whatever peers do, in ms (layer 1, section 7: within 10 s). */
const SHUTDOWN_MS = 8500;
/** Of that, what is kept for refused upgrades to hear their close, in ms. */
const REFUSED_MS = 500;
/** Mounts have this long to finish what they are at, meanwhile, in ms. */
const MOUNTS_MS = 6000;

/** What is started and stopped. */
export interface LifecycleParts {
  readonly context: RelayContext;
  readonly listener: Pick<Listener, 'listen' | 'handOver' | 'close'>;
  readonly limiter: Pick<RawSocketLimiter, 'destroyAll'>;
  readonly refused: RefusedSockets;
  readonly mounted: Mounted;
}

/** Starts and stops a relay. */
export class Lifecycle {
  readonly #parts: LifecycleParts;
  #state: LifecycleState = 'idle';
  #starting: Promise<void> | undefined;
  #closing: Promise<void> | undefined;

  constructor(parts: LifecycleParts) {
    this.#parts = parts;
  }

  get state(): LifecycleState {
    return this.#state;
  }

  start(host: string, port: number): Promise<void> {
    if (this.#state !== 'idle') {
      return Promise.reject(new Error(`the relay cannot be started: it is ${this.#state}`));
    }
    this.#state = 'starting';
    this.#starting = this.#open(host, port);
    return this.#starting;
  }

  close(): Promise<void> {
    this.#closing ??= this.#shutDown();
    return this.#closing;
  }

  async #open(host: string, port: number): Promise<void> {
    try {
      await this.#parts.listener.listen(host, port);
      this.#state = 'listening';
    } catch (error) {
      this.#state = 'closed';
      throw error;
    }
  }

  /**
   * First those for whom data waits, so that it is flushed; then, as late as can be, everybody else: peers count
   * the time to their next attempt from their close, and the next process should be there by then.
   */
  async #shutDown(): Promise<void> {
    // Whether it comes up or not is for the caller of start to hear.
    await this.#starting?.catch(() => undefined);
    if (this.#state === 'listening') {
      this.#state = 'draining';
      const { context, listener, limiter } = this.#parts;
      const { closeDeadlineMs } = context.limits;
      const endsAtMs = context.clock.monotonicMs() + SHUTDOWN_MS;
      const newcomersDone = listener.handOver();
      const mountsDone = this.#waitForMounts();
      const busy = context.hosts.all().flatMap((host) => host.closeBusyConnections('stopping'));
      await this.#waitUntilGone(busy, Math.min(closeDeadlineMs, SHUTDOWN_MS / 2));
      for (const host of context.hosts.all()) host.close('stopping');
      const leftMs = Math.max(1, endsAtMs - context.clock.monotonicMs());
      await this.#waitUntilGone(context.sockets.all(), Math.min(leftMs, 2 * closeDeadlineMs));
      await mountsDone;
      await newcomersDone;
      const closed = listener.close();
      await this.#waitForRefused();
      // The server does not count upgraded connections among its own.
      await Promise.all([limiter.destroyAll(), closed]);
    }
    this.#state = 'closed';
  }

  #waitUntilGone(sockets: readonly RelaySocket[], timeoutMs: number): Promise<void> {
    const registry = this.#parts.context.sockets;
    const waiting = new Set(sockets.filter((socket) => registry.has(socket)));
    if (waiting.size === 0) return Promise.resolve();
    return this.#waitAtMost(timeoutMs, (finish) =>
      registry.watchRemovals((socket) => {
        waiting.delete(socket);
        if (waiting.size === 0) finish();
      }),
    );
  }

  /** What mounts still have to answer is to be out when the port is closed. */
  async #waitForMounts(): Promise<void> {
    const { mounted } = this.#parts;
    const draining = mounted.mounts.filter((mount) => mount.drain !== undefined);
    if (draining.length === 0) return;
    const drain = async (mount: Mount): Promise<void> => {
      try {
        await mount.drain?.();
      } catch (error) {
        mounted.onFault(error);
      }
    };
    const drained = Promise.all(draining.map(drain));
    await this.#waitAtMost(MOUNTS_MS, (finish) => {
      void drained.then(finish);
      return () => undefined;
    });
    // Node writes an answer when the turn it was given in is over.
    await new Promise<void>((resolve) => this.#parts.context.wire.nextTurn(resolve));
  }

  /** Those who came during shutdown must hear so, too. */
  #waitForRefused(): Promise<void> {
    const { refused } = this.#parts;
    if (refused.size === 0) return Promise.resolve();
    return this.#waitAtMost(REFUSED_MS, (finish) => refused.watchEmpty(finish));
  }

  /** Waits until `watch` says so, or until the time is up; `watch` gives what ends the watching. */
  #waitAtMost(timeoutMs: number, watch: (finish: () => void) => () => void): Promise<void> {
    return new Promise((resolve) => {
      const finish = (): void => {
        timer.cancel();
        stopWatching();
        resolve();
      };
      const timer: Timer = this.#parts.context.clock.setTimer(finish, timeoutMs);
      const stopWatching = watch(finish);
    });
  }
}
