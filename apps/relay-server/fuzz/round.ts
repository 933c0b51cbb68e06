import { delay, eventually, withTimeout } from '@openchambery/testkit';
import { Controls } from './controls.ts';
import { makeFixtures } from './fixtures.ts';
import type { Tools } from './fixtures.ts';
import { Lane } from './lane.ts';
import { makeCase } from './make-case.ts';
import { MarkerIndex } from './marker-index.ts';
import { Markers } from './markers.ts';
import { OutputWatch } from './output-watch.ts';
import { Random } from './random.ts';
import type { Target } from './target.ts';
import { readVitals } from './vitals.ts';
import type { Vitals } from './vitals.ts';

const LANES = 32;
const LOOK_EVERY_MS = 500;
/** Memory is not judged before this part of the cases: code is compiled, pools fill. */
const WARM_UP = 0.5;
/** What resident memory may grow by over the rest, in bytes, and what each case may still be remembered with. */
const MAX_GROWTH_BYTES = 48 * 1024 * 1024;
const REMEMBERED_BYTES = 1024;
/** How many descriptors there may be more in the end: connections to the services stay. */
const MAX_MORE_DESCRIPTORS = 16;
const SETTLE_MS = 10_000;
const EXIT_MS = 15_000;
/** A run that fails everywhere need not say so a thousand times. */
export const MAX_FAULTS = 20;

/** A number of cases against one process. */
export interface RoundOptions {
  readonly target: Target;
  readonly firstSeed: number;
  readonly cases: number;
  /** How long an answer may take, in ms. */
  readonly answerMs: number;
  /** Hears of a fault at once. */
  readonly onFault: (fault: string) => void;
}

/** How a round went. */
export interface RoundResult {
  readonly faults: readonly string[];
  readonly traits: ReadonlyMap<string, number>;
  readonly told: string;
}

/** Plays all cases, then looks whether anything was left behind. */
export async function playRound(options: RoundOptions): Promise<RoundResult> {
  return new Round(options).play();
}

class Round {
  readonly #options: RoundOptions;
  readonly #index = new MarkerIndex();
  readonly #watch: OutputWatch;
  readonly #controls: Controls;
  readonly #faults: string[] = [];
  readonly #traits = new Map<string, number>();
  #next = 0;
  #isGone = false;
  #warm: Vitals | undefined;

  constructor(options: RoundOptions) {
    const { process, secrets } = options.target;
    this.#options = options;
    this.#watch = new OutputWatch(process, this.#index);
    this.#controls = new Controls(process.port, new Markers(this.#index, new Random(options.firstSeed), 0));
    for (const secret of secrets) this.#index.add(secret, 0);
    void process.exited.then(() => (this.#isGone = true));
  }

  get #isOver(): boolean {
    return this.#isGone || this.#faults.length >= MAX_FAULTS;
  }

  async play(): Promise<RoundResult> {
    const { target, firstSeed, answerMs, cases } = this.#options;
    const startMs = performance.now();
    const before = readVitals(target.process.pid);
    const fixtures = makeFixtures(this.#index);
    const lanes = Array.from({ length: Math.min(LANES, cases) }, (_, lane) => {
      const { port } = target.process;
      return new Lane({
        port,
        index: this.#index,
        answerMs,
        seed: firstSeed ^ Math.imul(lane + 1, 0x9e3779b1),
      });
    });
    const tools = { fixtures, services: target.services };
    const state = { isPlaying: true };
    const playing = Promise.all(lanes.map((lane) => this.#playCases(lane, tools))).then(
      () => (state.isPlaying = false),
    );
    while (state.isPlaying) {
      await Promise.race([playing, delay(LOOK_EVERY_MS)]);
      this.#note(this.#watch.look());
      if (state.isPlaying && !this.#isOver) this.#note(await this.#controls.check());
    }
    const seconds = (performance.now() - startMs) / 1000;
    for (const lane of lanes) lane.close();
    const vitals = this.#isGone ? before : readVitals(target.process.pid);
    await this.#finish(before);
    const answers = lanes.reduce((sum, lane) => sum + lane.answers, 0);
    const slowestMs = Math.max(...lanes.map((lane) => lane.slowestMs));
    const told =
      `${target.mode}: ${this.#next} cases, ${(this.#next / seconds).toFixed(0)} a second; ${answers} answers, slowest ` +
      `${slowestMs.toFixed(0)} ms; ${this.#controls.count} controls, slowest ${this.#controls.slowestMs.toFixed(0)} ms; ` +
      `${this.#index.size} windows of markers, ${this.#watch.length} characters of output; ` +
      `${(vitals.cpuSeconds - before.cpuSeconds).toFixed(1)} s of CPU, ` +
      `${((vitals.residentBytes - (this.#warm ?? before).residentBytes) / 1e6).toFixed(0)} MB more than half-way, ` +
      `${vitals.descriptors - before.descriptors} descriptors more than at first`;
    return { faults: this.#faults, traits: this.#traits, told };
  }

  async #playCases(lane: Lane, shared: Pick<Tools, 'fixtures' | 'services'>): Promise<void> {
    const { firstSeed, cases } = this.#options;
    while (this.#next < cases && !this.#isOver) {
      const seed = firstSeed + this.#next;
      this.#next += 1;
      if (this.#next === Math.ceil(cases * WARM_UP))
        this.#warm = readVitals(this.#options.target.process.pid);
      const random = new Random(seed);
      const plan = makeCase(seed, { ...shared, random, markers: new Markers(this.#index, random, seed) });
      for (const trait of plan.traits) this.#traits.set(trait, (this.#traits.get(trait) ?? 0) + 1);
      const fault = await lane.play(plan);
      if (fault !== undefined && !this.#isGone)
        this.#note(`seed ${seed} (${plan.traits.join(', ')}): ${fault}`);
    }
  }

  /** The process has to be as it was before, and to end in order. */
  async #finish(before: Vitals): Promise<void> {
    const { target } = this.#options;
    const { process, services } = target;
    for (const service of services) service.resetScripts();
    if (!this.#isOver) this.#note(await this.#controls.checkDelivery());
    if (!this.#isOver) await this.#checkVitals(before);
    if (this.#isGone) {
      const { code, signal } = await process.exited;
      this.#note(`the process has ended: code ${code}, signal ${signal}: ${process.stderr().slice(-2000)}`);
    } else {
      process.kill('SIGTERM');
      try {
        const { code, signal } = await withTimeout(process.exited, () => 'the process does not end', EXIT_MS);
        if (code !== 0) this.#note(`the process ended with code ${code}, signal ${signal}`);
      } catch (error) {
        this.#note(String(error));
      }
    }
    this.#note(this.#watch.look());
  }

  async #checkVitals(before: Vitals): Promise<void> {
    const { cases, target } = this.#options;
    const { pid } = target.process;
    const check = (): void => {
      const { descriptors, residentBytes } = readVitals(pid);
      const more = descriptors - before.descriptors;
      if (more > MAX_MORE_DESCRIPTORS) throw new Error(`${more} descriptors more than before`);
      const growth = residentBytes - (this.#warm ?? before).residentBytes;
      const most = MAX_GROWTH_BYTES + cases * REMEMBERED_BYTES;
      if (growth > most) throw new Error(`memory has grown by ${growth} bytes, over ${most}`);
    };
    try {
      await eventually(check, { timeoutMs: SETTLE_MS, everyMs: 200 });
    } catch (error) {
      this.#note(`left behind: ${String(error)}`);
    }
  }

  #note(fault: string | undefined): void {
    if (fault === undefined) return;
    this.#faults.push(fault);
    this.#options.onFault(fault);
  }
}
