import type { Surroundings } from '../cli/surroundings.ts';
import { formatBytes } from '../terminal/bytes-text.ts';
import { createLiveStatusLine } from '../terminal/status-line.ts';
import type { StatusLine } from '../terminal/status-line.ts';

/** Tells how far a transfer is. */
export interface Progress {
  /** How the tunnel is; of interest until bytes move. */
  connection(text: string): void;
  sent(byteLength: number): void;
  received(byteLength: number): void;
  end(): void;
}

/** On stderr where that is a terminal, and stdout is not showing the body on the same one; nowhere else. */
export function createProgress(surroundings: Surroundings, isBodyShown: boolean): Progress {
  const { style, output, clock, stderrColumns } = surroundings;
  const isWanted = stderrColumns() !== undefined && !style.quiet && !style.json && !isBodyShown;
  const line = isWanted
    ? createLiveStatusLine(
        { write: (text) => output.stderr(text), columns: () => stderrColumns() ?? 80 },
        clock,
      )
    : undefined;
  return countBytes(line, () => clock.monotonicMs());
}

function countBytes(line: StatusLine | undefined, nowMs: () => number): Progress {
  const startedAt = nowMs();
  const total = { sent: 0, received: 0 };
  const show = (): void => {
    if (line === undefined) return;
    const seconds = Math.max(nowMs() - startedAt, 1) / 1000;
    const parts = [
      total.sent > 0 ? `${formatBytes(total.sent)} sent` : undefined,
      total.received > 0 ? `${formatBytes(total.received)} received` : undefined,
      `${formatBytes(Math.round((total.sent + total.received) / seconds))}/s`,
    ];
    line.show(parts.filter((part) => part !== undefined).join(' · '));
  };
  const count = (direction: keyof typeof total) => (byteLength: number) => {
    total[direction] += byteLength;
    show();
  };
  return {
    connection: (text) => {
      if (total.sent + total.received === 0) line?.show(text);
    },
    sent: count('sent'),
    received: count('received'),
    end: () => line?.end(),
  };
}
