import { FakeClock } from '@openchambery/testkit';
import { describe, expect, it } from 'vitest';
import { createLiveStatusLine, createPlainStatusLine } from '../../../src/terminal/status-line.ts';

const CLEAR = '\r\u001b[K';

function liveLine(columns = 80) {
  const clock = new FakeClock();
  let screen = '';
  let width = columns;
  const line = createLiveStatusLine({ write: (text) => void (screen += text), columns: () => width }, clock);
  const take = (): string => {
    const text = screen;
    screen = '';
    return text;
  };
  return { clock, line, take, resize: (next: number) => (width = next) };
}

describe('a live status line', () => {
  it('is drawn over itself, not more often than the eye wants, and always ends at the latest', () => {
    const { clock, line, take } = liveLine();
    line.show('a');
    expect(take()).toBe(`${CLEAR}a`);
    line.show('b');
    line.show('c');
    expect(take()).toBe('');
    clock.advance(200);
    expect(take()).toBe(`${CLEAR}c`);
  });

  it('costs nothing while it stays the same', () => {
    const { clock, line, take } = liveLine();
    line.show('a');
    take();
    for (let count = 0; count < 5; count += 1) {
      clock.advance(200);
      line.show('a');
    }
    expect(take()).toBe('');
    expect(clock.pendingTimers).toBe(0);
  });

  it.each([
    [5, 'abcd', 'abcd'],
    [5, 'abcde', 'abc…'],
    [1, 'abc', '…'],
  ])('never reaches the last of %i columns', (columns, text, shown) => {
    const { line, take } = liveLine(columns);
    line.show(text);
    expect(take()).toBe(`${CLEAR}${shown}`);
  });

  it('fits a terminal that has become narrower', () => {
    const { clock, line, take, resize } = liveLine();
    line.show('abcdefgh');
    take();
    resize(5);
    clock.advance(200);
    line.show('abcdefgh');
    expect(take()).toBe(`${CLEAR}abc…`);
  });

  it('makes room for lines that stay', () => {
    const { line, take } = liveLine();
    line.show('a');
    take();
    line.print('warning\n');
    expect(take()).toBe(`${CLEAR}warning\na`);
  });

  it('prints plainly while there is no line yet', () => {
    const { line, take } = liveLine();
    line.print('warning\n');
    expect(take()).toBe('warning\n');
  });

  it('stays at its latest at the end, and leaves no timer', () => {
    const { clock, line, take } = liveLine();
    line.show('a');
    line.show('b');
    line.end();
    expect(take()).toBe(`${CLEAR}a${CLEAR}b\n`);
    expect(clock.pendingTimers).toBe(0);
  });
});

describe('a plain status line', () => {
  it('is a line for each change', () => {
    let text = '';
    const line = createPlainStatusLine((more) => void (text += more));
    line.show('a');
    line.show('a');
    line.print('warning\n');
    line.show('b');
    line.show('a');
    line.end();
    expect(text).toBe('a\nwarning\nb\na\n');
  });
});
