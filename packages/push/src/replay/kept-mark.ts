import type { ReplayMark } from '../binding/replay-mark.ts';

/** A mark that is remembered. */
export interface KeptMark {
  /** Grows from mark to mark, across restarts too; the order of acceptance and of expiry. */
  readonly seq: number;
  /** As {@link toMarkKey} makes it. */
  readonly key: string;
  readonly serverId: string;
  readonly route: string;
  readonly ts: number;
  readonly ip: string;
  /** ms since the epoch; never later than that of the next mark. Only a clock that is set back changes it. */
  expiresAtMs: number;
}

/** Up to where the texts of a server are refused unless they are marked: marks below were given up before their time. */
export interface ReplayFloor {
  readonly serverId: string;
  /** `ts` of the youngest text that was forgotten, ms since the epoch. */
  readonly ts: number;
  /** ms since the epoch. */
  readonly expiresAtMs: number;
}

/** What tells a text from every other: the server, and the hash of the text. */
export function toMarkKey({ serverId, textHash }: Pick<ReplayMark, 'serverId' | 'textHash'>): string {
  return `${serverId}:${textHash.toString('latin1')}`;
}

/** Whether `a` was accepted before `b`. */
export function isOlder(a: KeptMark, b: KeptMark): boolean {
  return a.seq < b.seq;
}
