import type { Clock } from '@openchambery/wire';

/** Lines of one kind written per window before the rest is only counted. */
const LINES_PER_WINDOW = 20;
const WINDOW_MS = 60_000;

interface Window {
  startedAtMs: number;
  lines: number;
  suppressed: number;
}

/** Keeps strangers from filling a disk: the same kind of line is written a few times a minute, then summed up. */
export class LogBudget<Kind extends string> {
  readonly #clock: Clock;
  /** Kinds come from a closed set. */
  readonly #windows = new Map<Kind, Window>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether to write a line of this kind now, and how many were left out since the last that was. */
  take(kind: Kind): { readonly write: boolean; readonly suppressed: number } {
    const now = this.#clock.monotonicMs();
    let window = this.#windows.get(kind);
    let suppressed = 0;
    if (window === undefined || now - window.startedAtMs >= WINDOW_MS) {
      suppressed = window?.suppressed ?? 0;
      window = { startedAtMs: now, lines: 0, suppressed: 0 };
      this.#windows.set(kind, window);
    }
    if (window.lines >= LINES_PER_WINDOW) {
      window.suppressed++;
      return { write: false, suppressed: 0 };
    }
    window.lines++;
    return { write: true, suppressed };
  }
}
