import type { Clock } from '@openchambery/daemon';
import type { ReplayMark, ReplayVerdict } from '../../src/binding/replay-mark.ts';

interface NaiveLease {
  readonly expiresAtMs: number;
  readonly heldUntilMs: number;
}

interface NaiveMark extends NaiveLease {
  readonly order: number;
  readonly mark: ReplayMark;
}

interface NaiveFloor extends NaiveLease {
  readonly serverId: string;
  readonly ts: number;
}

/** The rules of the replay table, word for word, at whatever cost. */
export class NaiveReplayTable {
  marks: readonly NaiveMark[] = [];
  floors: readonly NaiveFloor[] = [];
  readonly #clock: Clock;
  readonly #lifeMs: number;
  readonly #maxEntries: number;
  #order = 0;
  /** What has expired, as far back as anybody asks. */
  #gone = new Set<NaiveLease>();

  constructor(clock: Clock, replayMs: number, maxEntries: number) {
    this.#clock = clock;
    this.#lifeMs = replayMs + 1;
    this.#maxEntries = maxEntries;
  }

  /** To be called whenever time has passed. */
  age(): void {
    this.marks = this.#withoutExpired(this.marks);
    this.floors = this.#withoutExpired(this.floors);
  }

  /** Takes back what is done meanwhile. What expires meanwhile is gone, though. */
  takeBack(work: () => void): void {
    const { marks, floors } = this;
    this.#gone = new Set();
    work();
    this.marks = marks.filter((mark) => !this.#gone.has(mark));
    this.floors = floors.filter((floor) => !this.#gone.has(floor));
  }

  /** What remains known to the next process. */
  restart(): void {
    const now = this.#clock.epochMs();
    const heldUntilMs = this.#clock.monotonicMs() + this.#lifeMs;
    const resume = <T extends NaiveLease>(all: readonly T[]): T[] =>
      all.filter(({ expiresAtMs }) => expiresAtMs > now).map((one) => ({ ...one, heldUntilMs }));
    this.marks = resume(this.marks);
    this.floors = resume(this.floors).sort(endsBefore);
  }

  isMarked(mark: ReplayMark): boolean {
    return this.#find(mark) !== undefined || this.#isBelowFloor(mark);
  }

  verdict(mark: ReplayMark): ReplayVerdict {
    const known = this.#find(mark);
    if (known !== undefined) return { kind: known.mark.route === mark.route ? 'repeat' : 'replay' };
    if (this.#isBelowFloor(mark)) return { kind: 'replay' };
    if (this.marks.length < this.#maxEntries) return { kind: 'fresh' };
    const all = [...this.marks, this.#toKept(mark)];
    const payer = this.#payersMarks(all)[0]?.mark;
    const paysItself = payer?.serverId === mark.serverId;
    const costsNeighbour = payer?.ip === mark.ip && this.#isFullOfFloors(payer.serverId);
    if (!paysItself && !costsNeighbour) return { kind: 'fresh' };
    const ofServer = this.marks.filter((kept) => kept.mark.serverId === mark.serverId);
    const own = ofServer.length > 0 ? ofServer : this.marks;
    return {
      kind: 'full',
      retryAfterMs: Math.max(1, ...own.slice(0, 1).map((one) => this.#remainingMs(one))),
    };
  }

  accept(mark: ReplayMark): void {
    const kept = this.#toKept(mark);
    this.#order++;
    this.marks = [...this.marks, kept];
    if (this.marks.length <= this.#maxEntries) return;
    const [evicted] = this.#payersMarks(this.marks).sort(
      (a, b) => a.mark.ts - b.mark.ts || a.order - b.order,
    );
    if (evicted === undefined) throw new Error('nobody pays');
    this.marks = this.marks.filter((other) => other !== evicted);
    this.#raiseFloor(evicted.mark);
  }

  #raiseFloor({ serverId, ts }: ReplayMark): void {
    const before = this.floors.find((floor) => floor.serverId === serverId);
    const raised = { serverId, ts: this.#higher(ts, before?.ts ?? ts), ...this.#lease() };
    const floors = [...this.floors.filter((floor) => floor !== before), raised].sort(endsBefore);
    this.floors = floors.slice(-this.#maxEntries);
  }

  /** Of two that are too far apart, one is of a wrong clock. */
  #higher(a: number, b: number): number {
    if (Math.abs(a - b) <= this.#lifeMs) return Math.max(a, b);
    const now = this.#clock.epochMs();
    return Math.abs(a - now) <= Math.abs(b - now) ? a : b;
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
    return this.floors.some(
      (floor) => floor.serverId === serverId && ts <= floor.ts && ts >= floor.ts - this.#lifeMs,
    );
  }

  #toKept(mark: ReplayMark): NaiveMark {
    return { order: this.#order, mark, ...this.#lease() };
  }

  #lease(): NaiveLease {
    return {
      expiresAtMs: this.#clock.epochMs() + this.#lifeMs,
      heldUntilMs: this.#clock.monotonicMs() + this.#lifeMs,
    };
  }

  /** Both clocks have to agree, but for a wall clock that must have been wrong. */
  #remainingMs({ expiresAtMs, heldUntilMs }: NaiveLease): number {
    const untilExpiryMs = expiresAtMs - this.#clock.epochMs();
    const heldMs = heldUntilMs - this.#clock.monotonicMs();
    return untilExpiryMs > 2 * this.#lifeMs ? heldMs : Math.max(heldMs, untilExpiryMs);
  }

  /** First come, first gone. */
  #withoutExpired<T extends NaiveLease>(all: readonly T[]): readonly T[] {
    const first = all.findIndex((one) => this.#remainingMs(one) > 0);
    const firstKept = first === -1 ? all.length : first;
    for (const one of all.slice(0, firstKept)) this.#gone.add(one);
    return all.slice(firstKept);
  }

  /** Of the IP that holds most, the marks of the server that holds most; with equals, those of the oldest mark. */
  #payersMarks(marks: readonly NaiveMark[]): NaiveMark[] {
    const ofIp = largestGroup(marks, ({ mark }) => mark.ip);
    return largestGroup(ofIp, ({ mark }) => mark.serverId);
  }
}

function endsBefore(a: NaiveFloor, b: NaiveFloor): number {
  const byTime = a.heldUntilMs - b.heldUntilMs || a.expiresAtMs - b.expiresAtMs;
  return byTime || (a.serverId < b.serverId ? -1 : 1);
}

function largestGroup(marks: readonly NaiveMark[], nameOf: (mark: NaiveMark) => string): NaiveMark[] {
  const groups = Map.groupBy(marks, nameOf);
  // Groups come in the order of their oldest mark.
  let largest: NaiveMark[] = [];
  for (const group of groups.values()) if (group.length > largest.length) largest = group;
  return largest;
}
