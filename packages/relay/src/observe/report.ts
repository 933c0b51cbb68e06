import type { EventEmitter } from 'node:events';
import {
  describeFault,
  LogBudget,
  type ConnectionDropped,
  type DropCause,
  type Logger,
} from '@openchambery/daemon';
import type { Clock } from '@openchambery/wire';
import type { RefusalReason } from '../upgrade/refusal.ts';
import type {
  HostInGrace,
  HostOffline,
  HostOnline,
  Paired,
  RelayEventMap,
  SocketClosed,
  UpgradeRefused,
} from './events.ts';

/** Stands for a connection that ended without a close frame (RFC 6455 section 7.1.5). */
const LOST = 1006;
/** Enough of an id to tell two apart in a log, too little to use it. */
const LOGGED_ID_CHARS = 8;

/** Tells the log and the listeners what happened: one line per life of a connection, none per frame. */
export class Report {
  readonly #logger: Logger;
  readonly #emitter: EventEmitter<RelayEventMap>;
  readonly #refusals: LogBudget<RefusalReason>;
  readonly #drops: LogBudget<DropCause>;
  readonly #mountFaults: LogBudget<'mount'>;

  constructor({ logger, clock }: { logger: Logger; clock: Clock }, emitter: EventEmitter<RelayEventMap>) {
    this.#logger = logger;
    this.#emitter = emitter;
    this.#refusals = new LogBudget(clock);
    this.#drops = new LogBudget(clock);
    this.#mountFaults = new LogBudget(clock);
  }

  hostOnline(event: HostOnline): void {
    this.#logger.debug({ serverId: shorten(event.serverId), ip: event.ip }, 'host online');
    this.#emit('hostOnline', event);
  }

  hostInGrace(event: HostInGrace): void {
    this.#logger.debug({ serverId: shorten(event.serverId) }, 'host lost its control connection');
    this.#emit('hostInGrace', event);
  }

  hostOffline(event: HostOffline): void {
    this.#logger.debug({ serverId: shorten(event.serverId), cause: event.cause }, 'host offline');
    this.#emit('hostOffline', event);
  }

  paired(event: Paired): void {
    const { serverId, connectionId } = event;
    this.#logger.debug({ serverId: shorten(serverId), connectionId: shorten(connectionId) }, 'paired');
    this.#emit('paired', event);
  }

  upgradeRefused(event: UpgradeRefused): void {
    const { write, suppressed } = this.#refusals.take(event.reason);
    if (write) {
      const { role, ip, serverId, reason, code, detail } = event;
      this.#logger.info(
        {
          ...(role === undefined ? {} : { role }),
          ...(serverId === undefined ? {} : { serverId: shorten(serverId) }),
          ip,
          refusal: reason,
          code,
          reason: detail,
          ...(suppressed === 0 ? {} : { suppressed }),
        },
        'upgrade refused',
      );
    }
    this.#emit('upgradeRefused', event);
  }

  connectionDropped(event: ConnectionDropped): void {
    const { ip, cause, detail } = event;
    const { write, suppressed } = this.#drops.take(cause);
    if (write) {
      this.#logger.warn(
        { ip, cause, reason: detail, ...(suppressed === 0 ? {} : { suppressed }) },
        'connection dropped',
      );
    }
    this.#emit('connectionDropped', event);
  }

  /** A mounted service threw. Its message stays out of the log: it may quote a body. */
  mountFault(error: unknown): void {
    const { write, suppressed } = this.#mountFaults.take('mount');
    if (!write) return;
    this.#logger.error(
      { ...describeFault(error), ...(suppressed === 0 ? {} : { suppressed }) },
      'a mounted service threw',
    );
  }

  socketClosed(event: SocketClosed): void {
    const { serverId, connectionId, ...rest } = event;
    this.#logger.info(
      {
        ...rest,
        serverId: shorten(serverId),
        ...(connectionId === undefined ? {} : { connectionId: shorten(connectionId) }),
        // A peer's own words are not ours to log.
        reason: event.by === 'peer' && event.code !== LOST ? '' : event.reason,
      },
      'connection closed',
    );
    this.#emit('socketClosed', event);
  }

  /** A listener that throws must not take a connection with it. */
  #emit<Name extends keyof RelayEventMap>(name: Name, event: RelayEventMap[Name][0]): void {
    const { length } = this.#emitter.listeners(name);
    if (length === 0) return;
    try {
      (this.#emitter as EventEmitter).emit(name, event);
    } catch (error) {
      this.#logger.error({ event: name, error: String(error) }, 'a listener threw');
    }
  }
}

function shorten(id: string): string {
  return id.slice(0, LOGGED_ID_CHARS);
}
