import { expect, it } from 'vitest';
import { parseRetryAfter } from '../../src/gateway/retry-after.ts';

const NOW = Date.parse('Sun, 06 Nov 1994 08:49:37 GMT');
const DAY_MS = 86_400_000;

it.each([
  ['0', 0],
  ['120', 120_000],
  [' 5 ', 5000],
  ['86400', DAY_MS],
  ['86401', DAY_MS],
  ['9'.repeat(64), DAY_MS],
  ['2024', 2_024_000],
  ['Sun, 06 Nov 1994 08:50:37 GMT', 60_000],
  ['Sun, 06 Nov 1994 08:00:00 GMT', 0],
  ['Sun, 06 Nov 2094 08:00:00 GMT', DAY_MS],
])('reads %j as %d ms', (value, ms) => {
  expect(parseRetryAfter(value, NOW)).toBe(ms);
});

it.each([
  undefined,
  '',
  'soon',
  '-5',
  '1.5',
  '1e3',
  [['1', '2']],
  7,
  '9'.repeat(65),
  'Someday, 99',
  'Sun, 99 Foo 1994 GMT',
  // A form that only recipients of long ago were sent, and that says nothing about the zone.
  'Sun Nov  6 08:50:37 1994',
])('reads nothing from %j', (value) => {
  expect(parseRetryAfter(value, NOW)).toBeUndefined();
});
