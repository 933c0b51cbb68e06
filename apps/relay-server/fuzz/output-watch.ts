import type { DaemonCommand } from '@openchambery/testkit';
import type { MarkerIndex } from './marker-index.ts';
import { WINDOW } from './marker-index.ts';

/** Provider tokens begin like the first; the others are what key material and signatures look like in a log. */
const FORBIDDEN: readonly RegExp[] = [/eyJ[\w-]{8}/u, /bearer /iu, /PRIVATE KEY/u, /"sig"/u, /"[xyd]":/u];
const QUOTED_BEFORE = 200;

/** Looks through what a process writes, as it comes. */
export class OutputWatch {
  readonly #process: Pick<DaemonCommand, 'stdout' | 'stderr'>;
  readonly #index: MarkerIndex;
  readonly #looked = { stdout: 0, stderr: 0 };

  constructor(process: Pick<DaemonCommand, 'stdout' | 'stderr'>, index: MarkerIndex) {
    this.#process = process;
    this.#index = index;
  }

  /** Characters looked through. */
  get length(): number {
    return this.#looked.stdout + this.#looked.stderr;
  }

  /** What is wrong with what was written since the last look. */
  look(): string | undefined {
    return this.#lookAt('stdout') ?? this.#lookAt('stderr');
  }

  #lookAt(stream: 'stdout' | 'stderr'): string | undefined {
    const all = this.#process[stream]();
    // A window may have begun in what came before.
    const text = all.slice(Math.max(0, this.#looked[stream] - WINDOW));
    this.#looked[stream] = all.length;
    const found = this.#index.find(text);
    if (found !== undefined) {
      return `${stream} holds a marker of seed ${found.owner}: ${quote(text, found.at)}`;
    }
    for (const pattern of FORBIDDEN) {
      const match = pattern.exec(text);
      if (match !== null) return `${stream} matches ${String(pattern)}: ${quote(text, match.index)}`;
    }
    return undefined;
  }
}

function quote(text: string, at: number): string {
  return JSON.stringify(text.slice(Math.max(0, at - QUOTED_BEFORE), at + QUOTED_BEFORE));
}
