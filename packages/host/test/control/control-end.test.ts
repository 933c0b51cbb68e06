import { CLOSE_CODE } from '@openchambery/protocol';
import { expect, test } from 'vitest';
import { judgeControlEnd, printable } from '../../src/control/control-end.ts';

test.each([
  [CLOSE_CODE.malformed, 'refused'],
  [CLOSE_CODE.replaced, 'refused'],
  [CLOSE_CODE.duplicate, 'refused'],
  [CLOSE_CODE.unavailable, 'refused'],
  [CLOSE_CODE.auth, 'refused'],
  [CLOSE_CODE.limit, 'refused'],
  [CLOSE_CODE.normal, 'lost'],
  [CLOSE_CODE.protocol, 'lost'],
  [CLOSE_CODE.tooBig, 'lost'],
  [CLOSE_CODE.away, 'lost'],
  [CLOSE_CODE.tryLater, 'lost'],
  [CLOSE_CODE.stuck, 'lost'],
  [1001, 'lost'],
  [1005, 'lost'],
  [1006, 'lost'],
  [4999, 'lost'],
])('a close with %i counts as %s, with words', (code, loss) => {
  const verdict = judgeControlEnd({ kind: 'closed', code, reason: '' });
  expect(verdict.loss).toBe(loss);
  expect(verdict.reason.length).toBeGreaterThan(10);
});

test('a refusal is in the own words of the relay', () => {
  const reason = 'auth: timestamp 312 s behind the relay';
  expect(judgeControlEnd({ kind: 'closed', code: 4010, reason })).toEqual({
    loss: 'refused',
    code: 4010,
    reason,
  });
});

test('a loss says what the relay said too', () => {
  const { reason } = judgeControlEnd({ kind: 'closed', code: 1012, reason: 'relay is stopping' });
  expect(reason).toBe('the relay went away: relay is stopping');
});

test('words of a stranger cannot move a terminal', () => {
  expect(printable('a\u001b[2Jb\r\nc\u202ed')).toBe('a [2Jb  c d');
  expect(printable('x'.repeat(500))).toHaveLength(123);
  expect(printable(' \n ')).toBe('');
});
