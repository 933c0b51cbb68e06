import { reportJson } from '../cli/output.ts';
import type { Surroundings } from '../cli/surroundings.ts';
import { createLiveStatusLine, createPlainStatusLine } from './status-line.ts';
import type { StatusLine } from './status-line.ts';

/** Where a command is on its way to a connection: an attempt is under way, the last one has failed, or neither. */
export type Stage = 'trying' | 'failed' | 'other';

/** What a running command tells about itself. */
export interface ReportSource {
  /** For people; `full` has the counters too, which change all the time. */
  describe(detail: 'brief' | 'full'): string;
  /** For programs, without counters; `retryInMs` may go by. */
  fields(): Readonly<Record<string, unknown>>;
  stage(): Stage;
}

/** Tells of changes, in the way that the invocation asked for. */
export interface Report {
  /** Something may have changed. */
  update(): void;
  /** A line that stays, on stderr. */
  warn(text: string): void;
  end(): void;
}

/** A live line on a terminal, plain lines elsewhere, JSON with `--json`, nothing with `--quiet`. */
export function createReport(source: ReportSource, surroundings: Surroundings): Report {
  const { output, style } = surroundings;
  if (style.json) return jsonReport(source, surroundings);
  if (style.quiet)
    return { update: () => undefined, warn: (text) => output.stderr(text), end: () => undefined };
  return surroundings.stdoutColumns() === undefined
    ? plainReport(source, surroundings)
    : liveReport(source, surroundings);
}

function liveReport(source: ReportSource, surroundings: Surroundings): Report {
  const line = liveLine(surroundings);
  return {
    update: () => line.show(source.describe('full')),
    // On a terminal stderr is the same screen; the line moves on below what is printed.
    warn: (text) => line.print(text),
    end: () => line.end(),
  };
}

/** Lines that stay: while a relay is away for a week, each attempt would leave two of them in a journal. */
function plainReport(source: ReportSource, { output }: Surroundings): Report {
  const line = createPlainStatusLine((text) => output.stdout(text));
  let before: Stage = 'other';
  return {
    update: () => {
      const stage = source.stage();
      // That it tries again goes without saying; how that ends is news when it ends in another way.
      if (before === 'failed' && stage === 'trying') return;
      before = stage;
      line.show(source.describe('brief'));
    },
    warn: (text) => output.stderr(text),
    end: () => line.end(),
  };
}

function liveLine({ output, clock, stdoutColumns }: Surroundings): StatusLine {
  const terminal = { write: (text: string) => output.stdout(text), columns: () => stdoutColumns() ?? 80 };
  return createLiveStatusLine(terminal, clock);
}

function jsonReport(source: ReportSource, { output }: Surroundings): Report {
  let last = '';
  return {
    update: () => {
      const fields = { event: 'status', ...source.fields() };
      const text = JSON.stringify({ ...fields, retryInMs: undefined });
      if (text === last) return;
      last = text;
      reportJson(output, fields);
    },
    warn: (text) => output.stderr(text),
    end: () => undefined,
  };
}
