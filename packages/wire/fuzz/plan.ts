import type { WireLimits } from '../src/index.ts';

/** What a peer does, one thing after the other. */
export type Step =
  /** Bytes of a raw peer; `isBoundary` when no frame is cut behind them. */
  | { readonly kind: 'write'; readonly bytes: Buffer; readonly isBoundary: boolean }
  /** A message or a fragment of one, sent by the library. */
  | { readonly kind: 'send'; readonly data: Buffer; readonly isBinary: boolean; readonly fin: boolean }
  | { readonly kind: 'ping' | 'pong'; readonly data: Buffer }
  | { readonly kind: 'close'; readonly code: number | undefined; readonly reason: string }
  /** Lets the event loop turn so many times. */
  | { readonly kind: 'wait'; readonly turns: number }
  | { readonly kind: 'fin' }
  /** Drops the connection, with a reset when bytes are left unread. */
  | { readonly kind: 'destroy' };

/** When a peer stops reading, by the bytes it has got, and for how long. */
export interface Pause {
  readonly atBytes: number;
  /** Turns of the event loop; infinite for a peer that never reads again. */
  readonly turns: number;
}

/** How a connection behaves in one direction. */
export interface LanePlan {
  /** What the kernel holds between the two ends, in bytes. */
  readonly capacityBytes: number;
  /** The most that arrives at once, in bytes. */
  readonly maxChunkBytes: number;
}

export interface SidePlan {
  /** A client of the `ws` library, or a writer that decides every byte. */
  readonly kind: 'ws' | 'raw';
  readonly steps: readonly Step[];
  readonly pauses: readonly Pause[];
  /** Whether a raw peer sends its first frame only when its handshake is answered. */
  readonly waitsForAnswer: boolean;
  /** Whether a raw peer leaves a close frame unanswered and keeps TCP open. */
  readonly ignoresClose: boolean;
  readonly up: LanePlan;
  readonly down: LanePlan;
}

/** Everything that happens in a case; follows from the seed. */
export interface CasePlan {
  readonly seed: number;
  /** Over loopback sockets, or over pairs of streams in memory, which are much faster. */
  readonly medium: 'tcp' | 'memory';
  readonly limits: WireLimits;
  readonly budgetBytes: number;
  /** What another owner holds of the budget, in bytes. */
  readonly hoardedBytes: number;
  readonly unmask: 'native' | 'words';
  /** Turns for which the first side's messages are held, until the second is attached. */
  readonly attachAfterTurns: number | undefined;
  /** The turn in which the relay closes both sides. */
  readonly closeAfterTurns: number | undefined;
  /** Turns between two probes of both sides. */
  readonly probeEveryTurns: number | undefined;
  readonly sides: readonly [SidePlan, SidePlan];
}

/** Whether a side never reads again from some point on. */
export function stopsForEver(side: SidePlan): boolean {
  return side.pauses.some(({ turns }) => turns === Number.POSITIVE_INFINITY);
}

/** Whether time has to pass for the case to end: somebody has to be given up. */
export function needsTime(plan: CasePlan): boolean {
  return plan.sides.some((side) => side.ignoresClose || stopsForEver(side));
}
