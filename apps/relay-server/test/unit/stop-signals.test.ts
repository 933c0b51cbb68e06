import { describe, expect, it } from 'vitest';
import { createStopSignalHandler } from '../../src/cli/stop-signals.ts';
import type { StopSignal } from '../../src/cli/stop-signals.ts';

function scenario(): { readonly events: string[]; readonly at: (ms: number, signal: StopSignal) => void } {
  const events: string[] = [];
  let nowMs = 0;
  const onSignal = createStopSignalHandler({
    now: () => nowMs,
    drain: () => events.push('drain'),
    abort: (exitCode) => events.push(`abort ${exitCode}`),
  });
  return {
    events,
    at(ms, signal) {
      nowMs = ms;
      onSignal(signal);
    },
  };
}

describe('stop signals', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)('drain at the first %s', (signal) => {
    const { events, at } = scenario();
    at(0, signal);
    expect(events).toEqual(['drain']);
  });

  it('abort at the second, with the exit code of a shell', () => {
    const { events, at } = scenario();
    at(0, 'SIGTERM');
    at(100, 'SIGTERM');
    expect(events).toEqual(['drain', 'abort 143']);
  });

  it('abort at once when the second is another one', () => {
    const { events, at } = scenario();
    at(0, 'SIGTERM');
    at(1, 'SIGINT');
    expect(events).toEqual(['drain', 'abort 130']);
  });

  it('that npm repeats within 100 ms are one request', () => {
    const { events, at } = scenario();
    at(0, 'SIGINT');
    at(99, 'SIGINT');
    expect(events).toEqual(['drain']);
    at(2000, 'SIGINT');
    expect(events).toEqual(['drain', 'abort 130']);
  });
});
