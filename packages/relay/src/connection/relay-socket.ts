import type { Role } from '@openchambery/protocol';
import {
  WireSocket,
  type BudgetOwner,
  type EndCause,
  type WireConnection,
  type WireListener,
} from '@openchambery/wire';
import type { RelayContext } from '../relay-context.ts';
import { CLOSE_CAUSES, type CloseCause } from './close-cause.ts';

/** How a socket ended that its owner did not close. */
export type SocketEnd = EndCause['kind'] | 'silent' | 'stalled';

/** What routing does when a socket ends or has room again. */
export interface SocketOwner {
  /** The socket is of no more use; it closes by itself. Called at most once, never after `close`. */
  onEnded(end: SocketEnd): void;
  /** Everything that waited for the peer has been taken. */
  onDrained(): void;
}

/** Who is at the other end of a socket, for counting and for the log. */
export interface SocketParty {
  readonly role: Role;
  /** Client IP as counted: an IPv4 address or an IPv6 /64. */
  readonly ip: string;
  readonly serverId: string;
  readonly connectionId?: string;
}

interface Ending {
  readonly code: number;
  readonly reason: string;
  /** Who closed first. */
  readonly by: 'peer' | 'relay';
}

const NO_HEAD = Buffer.alloc(0);

/** One accepted socket of a Host or Client, from the handshake until TCP is gone. */
export class RelaySocket implements WireListener {
  readonly party: SocketParty;
  readonly wire: WireSocket;
  readonly #context: RelayContext;
  readonly #openedAtMs: number;
  #owner: SocketOwner | undefined;
  #head: Buffer;
  /** How it ended, for its line in the log. */
  #ending: Ending | undefined;

  constructor(
    connection: WireConnection,
    party: SocketParty,
    owners: { context: RelayContext; budget: BudgetOwner },
  ) {
    this.party = party;
    this.#context = owners.context;
    this.#head = connection.head;
    this.#openedAtMs = this.#context.clock.monotonicMs();
    this.wire = new WireSocket(connection, this.#context.wire, { owner: owners.budget, listener: this });
    this.#context.sockets.add(this);
    this.#context.counters.countAccept(party.role);
  }

  /** Hands the socket to its owner and starts to read. */
  start(owner: SocketOwner): void {
    this.#owner = owner;
    const head = this.#head;
    this.#head = NO_HEAD;
    this.wire.start(head);
  }

  /** Closes for a cause of the relay's; what waits for the peer is sent first. */
  close(cause: CloseCause): void {
    if (!this.wire.isOpen) return;
    const { code, text } = CLOSE_CAUSES[cause];
    const reason = text(this.#context.limits);
    this.#ending = { code, reason, by: 'relay' };
    this.#context.counters.countClose(cause);
    this.#owner = undefined;
    this.wire.close(code, reason);
  }

  /** The heartbeat's turn for this socket. */
  beat(): void {
    if (this.wire.probe() === 'alive') return;
    this.#giveUp(this.party.role === 'host-control' ? 'control-silent' : 'silent', 'silent');
  }

  /** WireListener */
  onEnd(cause: EndCause): void {
    this.#ending = describeEnd(cause);
    this.#tellOwner(cause.kind);
  }

  /** WireListener */
  onStall(): void {
    this.#giveUp('stalled', 'stalled');
  }

  /** WireListener */
  onDrain(): void {
    this.#owner?.onDrained();
  }

  /** WireListener */
  onGone(): void {
    this.#owner = undefined;
    this.#context.sockets.remove(this);
    this.#context.report.socketClosed({
      ...this.party,
      durationMs: Math.round(this.#context.clock.monotonicMs() - this.#openedAtMs),
      receivedBytes: this.wire.receivedBytes,
      sentBytes: this.wire.sentBytes,
      ...(this.#ending ?? { code: 1006, reason: 'the relay ended the connection', by: 'relay' }),
    });
  }

  #giveUp(cause: CloseCause, end: SocketEnd): void {
    const owner = this.#owner;
    this.close(cause);
    owner?.onEnded(end);
  }

  #tellOwner(end: SocketEnd): void {
    const owner = this.#owner;
    this.#owner = undefined;
    owner?.onEnded(end);
  }
}

function describeEnd(cause: EndCause): Ending {
  switch (cause.kind) {
    case 'closed':
      return { code: cause.code, reason: cause.reason, by: 'peer' };
    case 'fault':
      return { code: cause.code, reason: cause.reason, by: 'relay' };
    case 'lost':
      return { code: 1006, reason: 'the connection was lost', by: 'peer' };
  }
}
