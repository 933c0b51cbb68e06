import { FakeClock } from '@openchambery/testkit';
import {
  BudgetAccount,
  checkHandshake,
  createWireContext,
  loadNativeUnmask,
  splice,
  unmaskByWords,
  WireSocket,
} from '../src/index.ts';
import type { BudgetOwner, EndCause, Transport, WireContext, WireListener } from '../src/index.ts';
import type { RelayEnd } from './memory-end.ts';
import type { CasePlan } from './plan.ts';
import type { Progress } from './progress.ts';

/** A connection that has asked for its upgrade. */
export interface Upgrade {
  readonly transport: Transport;
  readonly head: Buffer;
  readonly key: string;
}

/** What the pair's owner saw first, of all that ends a pair. */
export type FirstEnd =
  | { readonly kind: 'peer'; readonly side: 0 | 1; readonly cause: EndCause }
  | { readonly kind: 'stall'; readonly side: 0 | 1 }
  /** The relay closed both sides, as planned or because nothing happened any more. */
  | { readonly kind: 'relay'; readonly why: 'planned' | 'idle' };

/** What the other side is told when one ends: by its peer's close, and by anything else. */
export const OTHER_CLOSED = { code: 1000, reason: 'the other side has closed' };
export const OTHER_LOST = { code: 1012, reason: 'the other side is gone' };
export const STOPPING = { code: 1012, reason: 'stopping' };

const native = loadNativeUnmask() ?? unmaskByWords;

/** The relay of one case: two sockets, and an owner that ends both when one ends. */
export class FuzzRelay {
  readonly clock = new FakeClock();
  readonly context: WireContext;
  readonly owner: BudgetOwner;
  readonly wires: [WireSocket | undefined, WireSocket | undefined] = [undefined, undefined];
  readonly goneCounts: [number, number] = [0, 0];
  readonly endCounts: [number, number] = [0, 0];
  firstEnd: FirstEnd | undefined;
  /** What has been seen of the case, to be counted. */
  readonly traits = new Set<string>();
  /** Whether messages were passed on at all. */
  isSpliced = false;
  readonly #plan: CasePlan;
  readonly #progress: Progress;
  readonly #hoard: BudgetAccount;
  readonly #upgrades: [Upgrade | undefined, Upgrade | undefined] = [undefined, undefined];
  #mayAttach: boolean;

  constructor(plan: CasePlan, progress: Progress) {
    this.#plan = plan;
    this.#progress = progress;
    this.context = createWireContext({
      limits: plan.limits,
      budgetBytes: plan.budgetBytes,
      clock: this.clock,
      unmask: plan.unmask === 'native' ? native : unmaskByWords,
      nextTurn: (callback) => {
        progress.note();
        setImmediate(callback);
      },
    });
    this.owner = this.context.budget.createOwner();
    this.#hoard = new BudgetAccount(this.context.budget.createOwner());
    this.#hoard.set(plan.hoardedBytes);
    this.#mayAttach = plan.attachAfterTurns === undefined;
    if (plan.attachAfterTurns !== undefined) {
      progress.after(plan.attachAfterTurns, () => {
        this.#mayAttach = true;
        this.#attach();
      });
    }
  }

  /** Whether both sockets are gone. */
  get isOver(): boolean {
    return this.goneCounts[0] > 0 && this.goneCounts[1] > 0;
  }

  /** Takes in a side that has asked for its upgrade. */
  accept(side: 0 | 1, upgrade: Upgrade): void {
    this.#upgrades[side] = upgrade;
    const isHeld = this.#plan.attachAfterTurns !== undefined;
    if (side === 0 && isHeld) {
      const wire = this.#open(0, upgrade);
      wire.hold();
      this.#closeIfStopping();
      wire.start(upgrade.head);
    }
    this.#attach();
  }

  /** Closes both sides, as a relay does that stops. */
  close(why: 'planned' | 'idle'): void {
    this.firstEnd ??= { kind: 'relay', why };
    for (const wire of this.wires) wire?.close(STOPPING.code, STOPPING.reason);
  }

  /** Gives up on a pair of which a side has left before it was taken in. Gives whether that was so. */
  abandon(): boolean {
    const missing = ([0, 1] as const).filter(
      (side) => this.wires[side] === undefined && this.goneCounts[side] === 0,
    );
    for (const side of missing) {
      this.goneCounts[side] = 1;
      this.#upgrades[side]?.transport.socket.destroy();
    }
    return missing.length > 0;
  }

  probe(): void {
    for (const wire of this.wires) wire?.probe();
  }

  /** What is left behind when all is over, which should be nothing. */
  leftovers(): string[] {
    const { budget, pausedSources, blocks } = this.context;
    this.#hoard.set(0);
    const gauges = {
      'bytes in the budget': budget.usedBytes,
      'bytes of the owner': this.owner.usedBytes,
      'paused sources': pausedSources.size,
      'pending timers': this.clock.pendingTimers,
      'lent blocks': blocks.lentCount,
      'waiting bytes': this.wires.reduce((sum, wire) => sum + (wire?.waitingBytes ?? 0), 0),
    };
    return Object.entries(gauges).flatMap(([name, value]) => (value === 0 ? [] : [`${value} ${name}`]));
  }

  #attach(): void {
    const [first, second] = this.#upgrades;
    if (!this.#mayAttach || first === undefined || second === undefined || this.wires[1] !== undefined)
      return;
    const isHeld = this.wires[0] !== undefined;
    const [a, b] = [this.wires[0] ?? this.#open(0, first), this.#open(1, second)];
    if (a.isOpen) {
      this.isSpliced = true;
      if (isHeld && this.owner.usedBytes > 0) this.traits.add('messages held');
      splice(a, b);
    } else {
      b.close(OTHER_LOST.code, OTHER_LOST.reason);
    }
    this.#closeIfStopping();
    if (!isHeld) a.start(first.head);
    b.start(second.head);
  }

  /** The relay may have stopped while a side was on its way in. */
  #closeIfStopping(): void {
    if (this.firstEnd?.kind === 'relay') this.close(this.firstEnd.why);
  }

  #open(side: 0 | 1, { transport, head, key }: Upgrade): WireSocket {
    const wire = new WireSocket({ transport, head, key }, this.context, {
      owner: this.owner,
      listener: this.#listen(side),
    });
    this.wires[side] = wire;
    return wire;
  }

  #listen(side: 0 | 1): WireListener {
    const other = side === 0 ? 1 : 0;
    return {
      onEnd: (cause) => {
        this.endCounts[side]++;
        this.firstEnd ??= { kind: 'peer', side, cause };
        const { code, reason } = cause.kind === 'closed' ? OTHER_CLOSED : OTHER_LOST;
        this.wires[other]?.close(code, reason);
      },
      onStall: () => {
        this.firstEnd ??= { kind: 'stall', side };
        for (const wire of this.wires) wire?.close(OTHER_LOST.code, OTHER_LOST.reason);
      },
      onDrain: () => this.#progress.note(),
      onGone: () => {
        this.goneCounts[side]++;
        this.#progress.note();
      },
    };
  }
}

/** Reads the request of an upgrade; `onUpgrade` gets the connection with what came behind it. */
export function awaitUpgrade(connection: RelayEnd, onUpgrade: (upgrade: Upgrade) => void): void {
  let bytes = Buffer.alloc(0);
  let isDone = false;
  connection.readWith((chunk) => {
    if (isDone) return;
    bytes = Buffer.concat([bytes, chunk]);
    const end = bytes.indexOf('\r\n\r\n');
    if (end < 0) return;
    isDone = true;
    connection.pause();
    const [request = '', ...lines] = bytes.subarray(0, end).toString('latin1').split('\r\n');
    const headers = Object.fromEntries(
      lines.map((line) => {
        const [name = '', value = ''] = line.split(': ');
        return [name.toLowerCase(), value];
      }),
    );
    const check = checkHandshake({ method: request.split(' ')[0], headers, httpVersion: '1.1' });
    if (!check.ok) throw new Error(check.fault);
    onUpgrade({
      transport: connection.transport,
      head: Buffer.from(bytes.subarray(end + 4)),
      key: check.key,
    });
  });
}
