import type { Timer } from '@openchambery/tunnel';
import type { Surroundings } from '../cli/surroundings.ts';
import { formatBytes } from '../terminal/bytes-text.ts';
import { createLiveStatusLine } from '../terminal/status-line.ts';
import type { StatusLine } from '../terminal/status-line.ts';

/** How the tunnel is. */
export interface TunnelState {
  readonly isThere: boolean;
  /** For people. */
  readonly text: string;
}

/** Tells how far a transfer is. */
export interface Progress {
  /** Of interest until bytes move. */
  connection(state: TunnelState): void;
  sent(byteLength: number): void;
  received(byteLength: number): void;
  end(): void;
}

/** How long a wait goes without saying, in ms: a tunnel that can be had is there by then. */
const PATIENCE_MS = 3000;

/**
 * On stderr: a line that is redrawn where that is a terminal, and stdout is not showing the body on the same one. Elsewhere
 * one line, if there is no tunnel for long. Nothing with `--quiet`.
 */
export function createProgress(surroundings: Surroundings, isBodyShown: boolean): Progress {
  const { style, output, clock, stderrColumns } = surroundings;
  if (style.quiet) return SILENCE;
  if (stderrColumns() === undefined || style.json || isBodyShown) return noteLongWait(surroundings);
  const line = createLiveStatusLine(
    { write: (text) => output.stderr(text), columns: () => stderrColumns() ?? 80 },
    clock,
  );
  return countBytes(line, () => clock.monotonicMs());
}

const SILENCE: Progress = {
  connection: () => undefined,
  sent: () => undefined,
  received: () => undefined,
  end: () => undefined,
};

function noteLongWait({ output, clock }: Surroundings): Progress {
  let state: TunnelState = { isThere: false, text: 'connecting' };
  let isSaid = false;
  let timer: Timer | undefined;
  const wait = (): void => {
    timer = clock.setTimer(() => {
      isSaid = true;
      output.stderr(`Waiting for the tunnel (${state.text})\n`);
    }, PATIENCE_MS);
  };
  const stop = (): void => {
    timer?.cancel();
    timer = undefined;
  };
  wait();
  return {
    ...SILENCE,
    connection: (now) => {
      state = now;
      if (now.isThere) stop();
      else if (timer === undefined && !isSaid) wait();
    },
    end: stop,
  };
}

function countBytes(line: StatusLine, nowMs: () => number): Progress {
  const startedAt = nowMs();
  const total = { sent: 0, received: 0 };
  const show = (): void => {
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
    connection: ({ text }) => {
      if (total.sent + total.received === 0) line.show(text);
    },
    sent: count('sent'),
    received: count('received'),
    end: () => line.end(),
  };
}
