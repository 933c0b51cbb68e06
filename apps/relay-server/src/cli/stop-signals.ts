import { constants } from 'node:os';

/** The signals that end the relay. */
export const STOP_SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/** One of {@link STOP_SIGNALS}. */
export type StopSignal = (typeof STOP_SIGNALS)[number];

/**
 * One Ctrl-C can arrive twice, a few ms apart: from the terminal, which signals the whole group, and from npm,
 * npx or a start script that passes on what it got; systemd does the same with SIGTERM. Within this many ms the
 * same signal is the same request.
 */
const ECHO_MS = 100;

/** What to do about signals. */
export interface StopHandlers {
  /** ms that never go back. */
  now(): number;
  /** Called once, for the first signal. */
  drain(): void;
  /** Called for a further signal, with 128 plus its number, as shells report it. */
  abort(exitCode: number): void;
}

/** Tells a first stop request from a second one. */
export function createStopSignalHandler(handlers: StopHandlers): (signal: StopSignal) => void {
  let first: { readonly signal: StopSignal; readonly at: number } | undefined;
  return (signal) => {
    const at = handlers.now();
    if (first === undefined) {
      first = { signal, at };
      handlers.drain();
    } else if (signal !== first.signal || at - first.at >= ECHO_MS) {
      handlers.abort(128 + constants.signals[signal]);
    }
  };
}
