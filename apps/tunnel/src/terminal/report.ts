import { reportJson } from '../cli/output.ts';
import type { Surroundings } from '../cli/surroundings.ts';
import { createLiveStatusLine, createPlainStatusLine } from './status-line.ts';
import type { StatusLine } from './status-line.ts';

/** What a running command tells about itself. */
export interface ReportSource {
  /** For people; `full` has the counters too, which change all the time. */
  describe(detail: 'brief' | 'full'): string;
  /** For programs, without counters. */
  fields(): Readonly<Record<string, unknown>>;
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
  const isLive = surroundings.stdoutColumns() !== undefined;
  const line = isLive ? liveLine(surroundings) : createPlainStatusLine((text) => output.stdout(text));
  return {
    update: () => line.show(source.describe(isLive ? 'full' : 'brief')),
    // On a terminal stderr is the same screen; the line moves on below what is printed.
    warn: (text) => (isLive ? line.print(text) : output.stderr(text)),
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
      const text = JSON.stringify(fields);
      if (text === last) return;
      last = text;
      reportJson(output, fields);
    },
    warn: (text) => output.stderr(text),
    end: () => undefined,
  };
}
