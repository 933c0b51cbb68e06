import { FakeClock } from '@openchambery/testkit';
import { describe, expect, it } from 'vitest';
import type { Surroundings } from '../../../src/cli/surroundings.ts';
import { createReport } from '../../../src/terminal/report.ts';
import type { Stage } from '../../../src/terminal/report.ts';
import { startTicker } from '../../../src/terminal/ticker.ts';

function setUp(style: { json?: boolean; quiet?: boolean }, columns?: number) {
  const said = { stdout: '', stderr: '' };
  const surroundings: Surroundings = {
    env: {},
    output: {
      stdout: (text) => void (said.stdout += text),
      stderr: (text) => void (said.stderr += text),
    },
    style: { json: false, quiet: false, ...style },
    clock: new FakeClock(),
    stopping: new AbortController().signal,
    stdoutColumns: () => columns,
    stderrColumns: () => columns,
    readStdinLine: () => Promise.resolve(''),
  };
  let state = 'one';
  let bytes = 0;
  let stage: Stage = 'other';
  let retryInMs: number | undefined;
  const report = createReport(
    {
      describe: (detail) => (detail === 'full' ? `${state} ${bytes}` : state),
      fields: () => ({ state, retryInMs }),
      stage: () => stage,
    },
    surroundings,
  );
  const change = (next: { state?: string; bytes?: number; stage?: Stage; retryInMs?: number }): void => {
    state = next.state ?? state;
    bytes = next.bytes ?? bytes;
    stage = next.stage ?? stage;
    retryInMs = next.retryInMs;
    report.update();
  };
  return { report, said, change };
}

describe('a report', () => {
  it('is one line of JSON for each change, not for counters', () => {
    const { report, said, change } = setUp({ json: true }, 80);
    change({});
    change({ bytes: 5 });
    change({ state: 'two' });
    report.warn('careful\n');
    report.end();
    expect(said).toEqual({
      stdout: '{"event":"status","state":"one"}\n{"event":"status","state":"two"}\n',
      stderr: 'careful\n',
    });
  });

  it('is plain lines where stdout is no terminal', () => {
    const { said, change, report } = setUp({});
    change({});
    change({ bytes: 5 });
    change({ state: 'two' });
    report.warn('careful\n');
    expect(said).toEqual({ stdout: 'one\ntwo\n', stderr: 'careful\n' });
  });

  it('is a line for each new reason, not for each attempt, where lines stay', () => {
    const { said, change } = setUp({});
    const attempt = (reason: string): void => {
      change({ state: 'connecting', stage: 'trying' });
      change({ state: reason, stage: 'failed' });
    };
    for (const reason of ['no route', 'no route', 'no route', 'refused', 'refused']) attempt(reason);
    change({ state: 'connecting', stage: 'trying' });
    change({ state: 'connected', stage: 'other' });
    // After that, all of it is news again.
    for (const reason of ['refused', 'refused']) attempt(reason);
    const lines = 'connecting,no route,refused,connected,connecting,refused'.split(',');
    expect(said.stdout).toBe(`${lines.join('\n')}\n`);
  });

  it('has in JSON each change of state, and not the wait as it goes by', () => {
    const { said, change } = setUp({ json: true });
    for (const retryInMs of [900, 400, 0]) change({ state: 'reconnecting', stage: 'failed', retryInMs });
    change({ state: 'connecting', stage: 'trying' });
    change({ state: 'reconnecting', stage: 'failed', retryInMs: 1800 });
    expect(said.stdout.split('\n')).toEqual([
      '{"event":"status","state":"reconnecting","retryInMs":900}',
      '{"event":"status","state":"connecting"}',
      '{"event":"status","state":"reconnecting","retryInMs":1800}',
      '',
    ]);
  });

  it('is a line with counters on a terminal, with warnings above it', () => {
    const { said, change, report } = setUp({}, 80);
    change({ bytes: 5 });
    report.warn('careful\n');
    expect(said).toEqual({ stdout: '\r\u001b[Kone 5\r\u001b[Kcareful\none 5', stderr: '' });
  });

  it('is nothing but warnings when quiet', () => {
    const { said, change, report } = setUp({ quiet: true }, 80);
    change({});
    report.warn('careful\n');
    report.end();
    expect(said).toEqual({ stdout: '', stderr: 'careful\n' });
  });
});

it('a ticker ticks until it is stopped, also from within', () => {
  const clock = new FakeClock();
  let ticks = 0;
  const stop = startTicker(
    () => {
      ticks += 1;
      if (ticks === 3) stop();
    },
    500,
    clock,
  );
  clock.advance(999);
  expect(ticks).toBe(1);
  clock.advance(5000);
  expect([ticks, clock.pendingTimers]).toEqual([3, 0]);
});
