import { FakeClock } from '@openchambery/testkit';
import { describe, expect, it } from 'vitest';
import type { Surroundings } from '../../../src/cli/surroundings.ts';
import { createProgress } from '../../../src/get/progress.ts';

interface Given {
  readonly json?: boolean;
  readonly quiet?: boolean;
  /** Of stderr; `undefined` when it is no terminal. */
  readonly columns?: number;
  readonly isBodyShown?: boolean;
}

function setUp({ json = false, quiet = false, columns, isBodyShown = false }: Given = {}) {
  let stderr = '';
  const clock = new FakeClock();
  const surroundings: Surroundings = {
    env: {},
    output: {
      stdout: () => expect.unreachable('stdout carries the body alone'),
      stderr: (text) => void (stderr += text),
    },
    style: { json, quiet },
    clock,
    stopping: new AbortController().signal,
    stdoutColumns: () => (isBodyShown ? 80 : undefined),
    stderrColumns: () => columns,
    readStdinLine: () => Promise.resolve(''),
  };
  const progress = createProgress(surroundings, isBodyShown);
  return { progress, clock, said: () => stderr };
}

const away = { isThere: false, text: 'reconnecting: no route' };
const there = { isThere: true, text: 'connected' };

describe('a long wait for a tunnel', () => {
  it.each([{}, { json: true }, { columns: 80, isBodyShown: true }])(
    'is told once, after 3 s, where there is no line to redraw: %j',
    (given) => {
      const { progress, clock, said } = setUp(given);
      progress.connection(away);
      clock.advance(2999);
      expect(said()).toBe('');
      clock.advance(1);
      expect(said()).toBe('Waiting for the tunnel (reconnecting: no route)\n');
      progress.connection(there);
      progress.connection(away);
      clock.advance(60_000);
      expect(said()).toBe('Waiting for the tunnel (reconnecting: no route)\n');
      expect(clock.pendingTimers).toBe(0);
    },
  );

  it('is told also when nothing has been heard at all', () => {
    const { clock, said } = setUp();
    clock.advance(3000);
    expect(said()).toBe('Waiting for the tunnel (connecting)\n');
  });

  it('begins anew when a tunnel breaks', () => {
    const { progress, clock, said } = setUp();
    clock.advance(2000);
    progress.connection(there);
    clock.advance(10_000);
    progress.connection(away);
    progress.connection(away);
    clock.advance(2999);
    expect(said()).toBe('');
    clock.advance(1);
    expect(said()).toBe('Waiting for the tunnel (reconnecting: no route)\n');
  });

  it('is not told with --quiet, nor when it is over', () => {
    const quiet = setUp({ quiet: true });
    const over = setUp();
    over.progress.end();
    for (const { clock, said } of [quiet, over]) {
      expect(clock.pendingTimers).toBe(0);
      clock.advance(60_000);
      expect(said()).toBe('');
    }
  });
});

it('a terminal has a line that is redrawn, and no other', () => {
  const { progress, clock, said } = setUp({ columns: 80 });
  progress.connection(away);
  clock.advance(3000);
  progress.received(1500);
  clock.advance(200);
  progress.end();
  expect(said()).toBe('\r\u001b[Kreconnecting: no route\r\u001b[K1.5 kB received · 500 B/s\n');
});
