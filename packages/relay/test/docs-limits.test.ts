import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { toVariableName } from '@openchambery/daemon';
import { RELAY_LIMIT_NAMES, RELAY_LIMITS } from '../src/limits.ts';

const DOCUMENT = new URL('../../../docs/protocol/layer-1.md', import.meta.url);
const ROW =
  /^\| `(?<variable>\w+)` \| `(?<option>\w+)` \| (?<value>\d+) \| (?<unit>\w+) \| (?<max>\d+) \| \S.* \|$/;

/** Every line of the table under the heading "Limits", but for its two lines of head. */
function documentedRows(): readonly string[] {
  const [, section = ''] = readFileSync(DOCUMENT, 'utf8').split('\n### Limits\n');
  const lines = section.split('\n');
  return lines.filter((line) => line.startsWith('|')).slice(2);
}

it('Layer 1, section 8, lists every limit as it is', () => {
  const documented = documentedRows().map((row) => ({ ...ROW.exec(row)?.groups }));
  const actual = RELAY_LIMIT_NAMES.map((option) => {
    const { default: value, unit, max } = RELAY_LIMITS[option];
    return { variable: toVariableName(option), option, value: String(value), unit, max: String(max) };
  });
  expect(documented).toEqual(actual);
});
