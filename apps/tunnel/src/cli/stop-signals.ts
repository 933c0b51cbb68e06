import { constants } from 'node:os';

/** The signals that end the command. */
export const STOP_SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/** One of {@link STOP_SIGNALS}. */
export type StopSignal = (typeof STOP_SIGNALS)[number];

/**
 * One Ctrl-C can arrive twice, a few ms apart: from the terminal, which signals the whole group, and from npx, which
 * passes on what it got. Within this many ms the same signal is the same request.
 */
const ECHO_MS = 100;

/** What to do about signals. */
export interface StopHandlers {
  /** ms that never go back. */
  now(): number;
  /** Called once, for the first signal, with 128 plus its number, as shells report it. */
  drain(exitCode: number): void;
  /** Called for a further signal, with the same. */
  abort(exitCode: number): void;
}

/** Tells a first stop request from a second one. */
export function createStopSignalHandler(handlers: StopHandlers): (signal: StopSignal) => void {
  let first: { readonly signal: StopSignal; readonly at: number } | undefined;
  return (signal) => {
    const at = handlers.now();
    const exitCode = 128 + constants.signals[signal];
    if (first === undefined) {
      first = { signal, at };
      handlers.drain(exitCode);
    } else if (signal !== first.signal || at - first.at >= ECHO_MS) {
      handlers.abort(exitCode);
    }
  };
}
