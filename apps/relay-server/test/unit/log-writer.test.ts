import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LogWriter } from '../../src/cli/log-writer.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const MAX_WAITING_BYTES = 1_048_576;

/** A writer whose sink takes `takes` bytes at a time, or fails with a code; background writes end on `settle`. */
function scenario(initial: number | string) {
  const state = { takes: initial, text: '', lost: [] as number[], attempts: 0 };
  const pending: (() => void)[] = [];
  const take = (bytes: Buffer): number => {
    state.attempts += 1;
    if (typeof state.takes === 'string') throw Object.assign(new Error('failed'), { code: state.takes });
    const part = bytes.subarray(0, state.takes);
    state.text += part.toString();
    return part.length;
  };
  const writer = new LogWriter({
    sink: {
      writeNow: take,
      write: (bytes, done) =>
        void pending.push(() => {
          let written: number;
          try {
            written = take(bytes);
          } catch (error) {
            return done(error as NodeJS.ErrnoException, 0);
          }
          done(null, written);
        }),
    },
    onRecovered: (count) => void state.lost.push(count),
  });
  const settle = (): void => {
    for (let next = pending.shift(); next !== undefined; next = pending.shift()) next();
  };
  return { writer, state, settle };
}

describe('a log writer', () => {
  it('writes lines in order, in the parts that the sink takes', async () => {
    const { writer, state, settle } = scenario(2);
    writer.write('one\n');
    writer.write('two\n');
    expect(state.text).toBe('');
    const flushed = writer.flush();
    settle();
    await flushed;
    expect(state.text).toBe('one\ntwo\n');
    await writer.flush();
  });

  it('tries a full sink again every 100 ms', async () => {
    const { writer, state, settle } = scenario('EAGAIN');
    writer.write('one\n');
    settle();
    writer.write('two\n');
    vi.advanceTimersByTime(99);
    settle();
    expect(state.attempts).toBe(1);
    state.takes = 100;
    const flushed = writer.flush();
    vi.advanceTimersByTime(1);
    settle();
    await flushed;
    expect(state.text).toBe('one\ntwo\n');
  });

  it('tries a failing sink again with the next line, and does not hold up a flush', async () => {
    const { writer, state, settle } = scenario('ENOSPC');
    writer.write('one\n');
    const flushed = writer.flush();
    settle();
    await flushed;
    expect(vi.getTimerCount()).toBe(0);
    state.takes = 100;
    writer.write('two\n');
    settle();
    expect(state.text).toBe('one\ntwo\n');
    expect(state.lost).toEqual([]);
  });

  it('holds 1 MiB, drops what is beyond it, and says how much once it works again', () => {
    const { writer, state, settle } = scenario('ENOSPC');
    writer.write('x'.repeat(MAX_WAITING_BYTES));
    for (const line of ['a', 'b']) {
      writer.write(line);
      settle();
    }
    state.takes = MAX_WAITING_BYTES;
    writer.write('c');
    settle();
    expect(state.text).toBe('x'.repeat(MAX_WAITING_BYTES));
    writer.write('d');
    settle();
    expect(state.text.slice(MAX_WAITING_BYTES)).toBe('d');
    expect(state.lost).toEqual([3]);
  });
});

describe('the end of a log writer', () => {
  it('offers what waits, and later lines, at once', () => {
    const { writer, state, settle } = scenario('EAGAIN');
    writer.write('one\n');
    settle();
    writer.write('two\n');
    state.takes = 3;
    writer.end();
    writer.write('last\n');
    expect(state.text).toBe('one\ntwo\nlast\n');
    vi.advanceTimersByTime(1000);
    settle();
    expect(state.text).toBe('one\ntwo\nlast\n');
  });

  it('leaves to the system what it has already', () => {
    const { writer, state, settle } = scenario(100);
    writer.write('one\n');
    writer.write('two\n');
    writer.end();
    expect(state.text).toBe('two\n');
    settle();
    expect(state.text).toBe('two\none\n');
  });

  it.each(['EAGAIN', 'ENOSPC'])('gives up on %s', (code) => {
    const { writer, state } = scenario(code);
    writer.end();
    writer.write('one\n');
    writer.end();
    expect(state.attempts).toBe(1);
  });
});
