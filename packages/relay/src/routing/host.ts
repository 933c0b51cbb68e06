import type { ControlMessage } from '@openchambery/protocol';
import type { BudgetOwner, Timer } from '@openchambery/wire';
import type { CloseCause } from '../connection/close-cause.ts';
import type { RelaySocket } from '../connection/relay-socket.ts';
import type { RelayContext } from '../relay-context.ts';
import type { ClientConnection } from './client-connection.ts';
import { ControlChannel } from './control-channel.ts';

/**
 * - live: the Host holds a control connection.
 * - grace: it lost it a moment ago; its route and its pairs live on.
 * - gone: forgotten.
 */
type State =
  | { readonly kind: 'live'; readonly control: ControlChannel }
  | { readonly kind: 'grace'; readonly timer: Timer }
  | { readonly kind: 'gone' };

/** One Host's route: its control connection and its Clients. */
export class Host {
  readonly serverId: string;
  /** What waits on all pairs of this Host counts together. */
  readonly budget: BudgetOwner;
  readonly #context: RelayContext;
  readonly #onGone: () => void;
  readonly #connections = new Map<string, ClientConnection>();
  #state: State = { kind: 'gone' };

  constructor(serverId: string, context: RelayContext, onGone: () => void) {
    this.serverId = serverId;
    this.#context = context;
    this.#onGone = onGone;
    this.budget = context.wire.budget.createOwner();
  }

  get isInGrace(): boolean {
    return this.#state.kind === 'grace';
  }

  /** Clients of this Host, pending and paired. */
  get clientCount(): number {
    return this.#connections.size;
  }

  /** The connection with this id, if it is routed. */
  find(connectionId: string): ClientConnection | undefined {
    return this.#connections.get(connectionId);
  }

  /** Gives the Host its control connection; whoever held it before is told that it was replaced. */
  attachControl(socket: RelaySocket): void {
    if (this.#state.kind === 'live') {
      const old = this.#state.control;
      this.#closeConnections('replaced');
      old.socket.close('replaced');
    } else if (this.#state.kind === 'grace') {
      this.#state.timer.cancel();
    }
    const control = new ControlChannel(socket, this.#context.limits);
    this.#state = { kind: 'live', control };
    this.#tell({ type: 'sync', connectionIds: [...this.#connections.keys()] });
    // Before it is read: what came behind the request may already be its end.
    this.#context.report.hostOnline({ serverId: this.serverId, ip: socket.party.ip });
    socket.start({
      onEnded: () => this.#loseControl(control),
      onDrained: () => control.onDrained(),
    });
  }

  /** A Client arrived: the Host is told, or will be by its next sync. */
  announce(connection: ClientConnection): void {
    this.#connections.set(connection.connectionId, connection);
    this.#tell({ type: 'connected', connectionId: connection.connectionId });
  }

  /** A connection ended; the Host is told. For the connection itself. */
  forget(connection: ClientConnection): void {
    if (!this.#connections.delete(connection.connectionId)) return;
    this.#tell({ type: 'disconnected', connectionId: connection.connectionId });
  }

  /** Ends the connections for which data waits; gives their sockets. */
  closeBusyConnections(cause: CloseCause): RelaySocket[] {
    const busy = [...this.#connections.values()].filter((connection) => connection.isBusy);
    return busy.flatMap((connection) => {
      const sockets = connection.sockets;
      connection.close(cause);
      return sockets;
    });
  }

  /** Ends everything at once, control connection and all. */
  close(cause: CloseCause): void {
    const before = this.#state;
    if (before.kind === 'gone') return;
    this.#state = { kind: 'gone' };
    if (before.kind === 'grace') before.timer.cancel();
    this.#closeConnections(cause);
    if (before.kind === 'live') before.control.socket.close(cause);
    this.#onGone();
    this.#context.report.hostOffline({ serverId: this.serverId, cause });
  }

  /** Control is lost: the route lives on for the grace time. */
  #loseControl(control: ControlChannel): void {
    if (this.#state.kind !== 'live' || this.#state.control !== control) return;
    const { clock, limits } = this.#context;
    const timer = clock.setTimer(() => this.close('grace-over'), limits.graceMs);
    this.#state = { kind: 'grace', timer };
    this.#context.report.hostInGrace({ serverId: this.serverId });
  }

  #tell(message: ControlMessage): void {
    if (this.#state.kind !== 'live') return;
    const { control } = this.#state;
    if (control.send(message) === 'sent') return;
    // What could not be said now, the next control connection learns from its sync.
    this.#loseControl(control);
    control.socket.close('control-queue');
  }

  #closeConnections(cause: CloseCause): void {
    const connections = [...this.#connections.values()];
    // Forgotten first: nobody is left to be told of each.
    this.#connections.clear();
    for (const connection of connections) connection.close(cause);
  }
}
