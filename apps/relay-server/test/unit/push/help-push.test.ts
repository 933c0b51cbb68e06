import { describe, expect, it } from 'vitest';
import { formatHelp } from '../../../src/cli/help-text.ts';
import { pushProgram } from '../support/programs.ts';

const help = formatHelp(pushProgram);
const lines = help.split('\n');
const { settings } = pushProgram.table;

describe("the push relay's --help", () => {
  it('fits a terminal of 100 columns and ends with a newline', () => {
    expect(lines.filter((line) => line.length > 100)).toEqual([]);
    expect(help.endsWith('.\n')).toBe(true);
    expect(lines.filter((line) => line !== line.trimEnd())).toEqual([]);
  });

  it.each(settings)('lists $variable with default and unit', ({ variable, defaultText, unit }) => {
    const row = lines.find((line) => line.trim().split(/\s+/)[0] === variable && !line.startsWith('   '));
    expect(row?.trim().split(/\s+/)).toEqual([variable, defaultText, unit].filter((cell) => cell !== ''));
  });

  it('speaks of variables, not of the names in the code', () => {
    const camelCase = settings.map(({ option }) => option).filter((name) => /[A-Z]/.test(name));
    expect(camelCase.filter((name) => help.includes(name))).toEqual([]);
  });

  it('has no flags but those of the contract', () => {
    const flags = lines.flatMap(
      (line) => /^ {2}(?:-[a-z], | {4})(?<flag>--[a-z-]+)/.exec(line)?.groups?.['flag'] ?? [],
    );
    expect(flags).toEqual([
      '--host',
      '--port',
      '--trust-proxy',
      '--no-trust-proxy',
      '--json',
      '--quiet',
      '--help',
      '--version',
    ]);
  });
});
