import type { Duplex } from 'node:stream';
import type { Message } from '../test/support/naive-decoder.ts';
import type { Pause, SidePlan, Step } from './plan.ts';
import type { Progress } from './progress.ts';

/** What a peer has got by its end. */
export interface PeerReport {
  readonly messages: readonly Message[];
  readonly pongs: readonly string[];
  /** What the close frame it got said, 1006 without one. */
  readonly close: { readonly code: number; readonly reason: string };
  /** What the peer found wrong with the bytes it got. */
  readonly complaint: string | undefined;
  /** The steps it has done. */
  readonly done: readonly Step[];
}

/** One end of a case. */
export interface FuzzPeer {
  readonly isOver: boolean;
  report(): PeerReport;
  /** Drops what is left of the connection. */
  leave(): void;
}

/** What a peer is made of. */
export interface PeerSetting {
  readonly plan: SidePlan;
  readonly progress: Progress;
  /** The connection, over which the peer still has to ask for its upgrade. */
  readonly connect: () => Duplex;
  readonly path: string;
}

/** Does the steps of a peer in order, until it is told to stop. */
export class Runner {
  readonly done: Step[] = [];
  readonly #steps: readonly Step[];
  readonly #progress: Progress;
  readonly #act: (step: Exclude<Step, { kind: 'wait' }>) => void;
  #isStopped = false;

  constructor(
    steps: readonly Step[],
    progress: Progress,
    act: (step: Exclude<Step, { kind: 'wait' }>) => void,
  ) {
    this.#steps = steps;
    this.#progress = progress;
    this.#act = act;
  }

  run(): void {
    while (!this.#isStopped) {
      const step = this.#steps[this.done.length];
      if (step === undefined) return;
      this.done.push(step);
      if (step.kind === 'wait') {
        this.#progress.after(step.turns, () => this.run());
        return;
      }
      this.#progress.note();
      this.#act(step);
    }
  }

  stop(): void {
    this.#isStopped = true;
  }
}

/** Stops and resumes a peer's reading as planned. */
export class Pauses {
  readonly #pauses: readonly Pause[];
  readonly #progress: Progress;
  readonly #control: { pause(): void; resume(): void };
  #next = 0;
  #bytes = 0;

  constructor(pauses: readonly Pause[], progress: Progress, control: { pause(): void; resume(): void }) {
    this.#pauses = pauses;
    this.#progress = progress;
    this.#control = control;
  }

  /** The peer has got so many bytes more. */
  count(bytes: number): void {
    this.#bytes += bytes;
    const pause = this.#pauses[this.#next];
    if (pause === undefined || pause.atBytes > this.#bytes) return;
    this.#next++;
    this.#control.pause();
    this.#progress.after(pause.turns, () => this.#control.resume());
  }
}
