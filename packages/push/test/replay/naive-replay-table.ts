import type { ReplayMark, ReplayVerdict } from '../../src/binding/replay-mark.ts';

interface NaiveMark {
  readonly order: number;
  readonly mark: ReplayMark;
  readonly expiresAtMs: number;
}

interface NaiveFloor {
  readonly serverId: string;
  readonly ts: number;
  readonly expiresAtMs: number;
}

/** The rules of the replay table, word for word, at whatever cost. */
export class NaiveReplayTable {
  marks: readonly NaiveMark[] = [];
  floors: readonly NaiveFloor[] = [];
  readonly #replayMs: number;
  readonly #maxEntries: number;
  #order = 0;
  #latestMs = 0;

  constructor(replayMs: number, maxEntries: number) {
    this.#replayMs = replayMs;
    this.#maxEntries = maxEntries;
  }

  age(now: number): void {
    this.marks = this.marks.filter(({ expiresAtMs }) => expiresAtMs > now);
    this.floors = this.floors.filter(({ expiresAtMs }) => expiresAtMs > now);
  }

  isMarked(mark: ReplayMark): boolean {
    return this.#find(mark) !== undefined || this.#isBelowFloor(mark);
  }

  verdict(mark: ReplayMark, now: number): ReplayVerdict {
    const known = this.#find(mark);
    if (known !== undefined) return { kind: known.mark.route === mark.route ? 'repeat' : 'replay' };
    if (this.#isBelowFloor(mark)) return { kind: 'replay' };
    if (this.marks.length < this.#maxEntries) return { kind: 'fresh' };
    const all = [...this.marks, this.#toKept(mark, now)];
    const payer = this.#payersMarks(all)[0]?.mark;
    const paysItself = payer?.serverId === mark.serverId;
    const costsNeighbour = payer?.ip === mark.ip && this.#isFullOfFloors(payer.serverId);
    if (!paysItself && !costsNeighbour) return { kind: 'fresh' };
    const ofServer = this.marks.filter((kept) => kept.mark.serverId === mark.serverId);
    const own = ofServer.length > 0 ? ofServer : this.marks;
    return { kind: 'full', retryAfterMs: Math.min(...own.map(({ expiresAtMs }) => expiresAtMs)) - now };
  }

  accept(mark: ReplayMark, now: number): void {
    const kept = this.#toKept(mark, now);
    this.#order++;
    this.#latestMs = kept.expiresAtMs;
    this.marks = [...this.marks, kept];
    if (this.marks.length <= this.#maxEntries) return;
    const [evicted] = this.#payersMarks(this.marks).sort(
      (a, b) => a.mark.ts - b.mark.ts || a.order - b.order,
    );
    if (evicted === undefined) throw new Error('nobody pays');
    this.marks = this.marks.filter((other) => other !== evicted);
    this.#raiseFloor(evicted.mark, now);
  }

  #raiseFloor({ serverId, ts }: ReplayMark, now: number): void {
    const before = this.floors.find((floor) => floor.serverId === serverId);
    const raised = { serverId, ts: Math.max(ts, before?.ts ?? 0), expiresAtMs: now + this.#replayMs + 1 };
    const floors = [...this.floors.filter((floor) => floor !== before), raised];
    floors.sort((a, b) => a.expiresAtMs - b.expiresAtMs || (a.serverId < b.serverId ? -1 : 1));
    this.floors = floors.slice(-this.#maxEntries);
  }

  #isFullOfFloors(serverId: string): boolean {
    return (
      this.floors.length >= this.#maxEntries && !this.floors.some((floor) => floor.serverId === serverId)
    );
  }

  #find({ serverId, textHash }: ReplayMark): NaiveMark | undefined {
    return this.marks.find(({ mark }) => mark.serverId === serverId && mark.textHash.equals(textHash));
  }

  #isBelowFloor({ serverId, ts }: ReplayMark): boolean {
    return this.floors.some((floor) => floor.serverId === serverId && ts <= floor.ts);
  }

  #toKept(mark: ReplayMark, now: number): NaiveMark {
    return { order: this.#order, mark, expiresAtMs: Math.max(now + this.#replayMs + 1, this.#latestMs) };
  }

  /** Of the IP that holds most, the marks of the server that holds most; with equals, those of the oldest mark. */
  #payersMarks(marks: readonly NaiveMark[]): NaiveMark[] {
    const ofIp = largestGroup(marks, ({ mark }) => mark.ip);
    return largestGroup(ofIp, ({ mark }) => mark.serverId);
  }
}

function largestGroup(marks: readonly NaiveMark[], nameOf: (mark: NaiveMark) => string): NaiveMark[] {
  const groups = Map.groupBy(marks, nameOf);
  // Groups come in the order of their oldest mark.
  let largest: NaiveMark[] = [];
  for (const group of groups.values()) if (group.length > largest.length) largest = group;
  return largest;
}
