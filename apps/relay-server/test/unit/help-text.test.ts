import { RELAY_LIMITS } from '@openchambery/relay';
import { describe, expect, it } from 'vitest';
import { formatHelp } from '../../src/cli/help-text.ts';
import { SWITCHES } from '../../src/config/settings.ts';
import { relayProgram } from './support/programs.ts';

const SETTINGS = relayProgram.table.settings;
const help = formatHelp(relayProgram);
const lines = help.split('\n');

describe('--help', () => {
  it('fits a terminal of 100 columns and ends with a newline', () => {
    expect(lines.filter((line) => line.length > 100)).toEqual([]);
    expect(help.endsWith('.\n')).toBe(true);
    expect(lines.filter((line) => line !== line.trimEnd())).toEqual([]);
  });

  it.each(SETTINGS)('lists $variable with default and unit', ({ variable, defaultText, unit }) => {
    const row = lines.find((line) => line.trim().split(/\s+/)[0] === variable && !line.startsWith('   '));
    expect(row?.trim().split(/\s+/)).toEqual([variable, defaultText, unit].filter((cell) => cell !== ''));
  });

  it.each(
    [
      ...SETTINGS.flatMap(({ flag }) => flag ?? []),
      ...SWITCHES.flatMap(({ flag, short }) => (short === undefined ? [flag] : [`${short}, ${flag}`])),
      '--no-trust-proxy',
    ].map((usage) => [usage]),
  )('lists %s', (usage) => {
    expect(lines.some((line) => line.trim().startsWith(usage))).toBe(true);
  });

  it('says that PUMP_RETRY_MS has no effect', () => {
    expect(help).toContain(RELAY_LIMITS.pumpRetryMs.meaning);
    expect(RELAY_LIMITS.pumpRetryMs.meaning).toContain('no effect');
  });

  it('speaks of variables, not of the names in the code', () => {
    const camelCase = Object.keys(RELAY_LIMITS).filter((name) => help.includes(name));
    expect(camelCase).toEqual([]);
  });
});
