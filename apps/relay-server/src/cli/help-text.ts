import { toVariableName } from '@openchambery/daemon';
import { oppositeFlag, SWITCHES } from '../config/settings.ts';
import type { Setting } from '../config/settings.ts';
import type { Program } from './program.ts';

/** Lines stay readable in a terminal of this many columns. */
const COLUMNS = 92;
const FLAG_INDENT = 28;
const MEANING_INDENT = 6;

/** What `--help` is made from. */
export type HelpSource = Pick<Program<string, unknown>, 'command' | 'noun' | 'notes' | 'table'>;

/** The whole `--help`, from the tables alone. */
export function formatHelp({ command, noun, notes, table: { prefix, settings } }: HelpSource): string {
  const names = settings.map(({ variable }) => variable.length);
  const defaults = settings.map(({ defaultText }) => defaultText.length);
  const widths = { name: Math.max(...names), default: Math.max(...defaults) };
  const inVariables = nameVariables(prefix, settings);
  return [
    `Usage: ${command} [options]`,
    '',
    `Runs a self-hosted OpenChamber ${noun} in the foreground.`,
    '',
    'Options:',
    ...settings.flatMap(formatFlag),
    ...SWITCHES.map(({ flag, short, meaning }) =>
      besideFlag(short === undefined ? `    ${flag}` : `${short}, ${flag}`, meaning),
    ),
    '',
    'Environment, with defaults and units:',
    ...settings.flatMap((setting) => [
      formatVariable(setting, widths),
      ...wrap(inVariables(setting.meaning), MEANING_INDENT),
    ]),
    '',
    ...wrap(
      'A flag goes before its variable and a variable before the default. A blank variable counts as unset. ' +
        'Booleans are true, 1, false or 0. Limits are positive integers.',
      0,
    ),
    ...wrap(
      `SIGTERM or SIGINT stops the ${noun} cleanly (exit code 0); a second signal stops it at once. ` +
        'Exit code 1 means that it could not start.',
      0,
    ),
    ...notes.flatMap((note) => wrap(note, 0)),
    '',
  ].join('\n');
}

function formatFlag(setting: Setting): readonly string[] {
  const { flag, argument, variable, defaultText, meaning } = setting;
  if (flag === undefined) {
    return [];
  }
  const usage = argument === undefined ? `    ${flag}` : `    ${flag} ${argument}`;
  const lines = [besideFlag(usage, meaning), ...wrap(`${variable}, default ${defaultText}`, FLAG_INDENT)];
  const opposite = oppositeFlag(setting);
  return opposite === undefined
    ? lines
    : [...lines, besideFlag(`    ${opposite}`, 'do not, whatever the variable says')];
}

function besideFlag(usage: string, meaning: string): string {
  return `  ${usage}`.padEnd(FLAG_INDENT) + wrap(meaning, FLAG_INDENT).join('\n').trimStart();
}

function formatVariable(setting: Setting, widths: { name: number; default: number }): string {
  const { variable, defaultText, unit } = setting;
  return `  ${variable.padEnd(widths.name)}  ${defaultText.padStart(widths.default)} ${unit}`.trimEnd();
}

/** A table of limits speaks of `maxConnections`; here that is `OPENCHAMBER_RELAY_SERVER_MAX_CONNECTIONS`. */
function nameVariables(prefix: string, settings: readonly Setting[]): (text: string) => string {
  const names = settings.map(({ option }) => option).filter((option) => /[A-Z]/.test(option));
  return (text) =>
    names.reduce(
      (named, name) => named.replaceAll(new RegExp(`\\b${name}\\b`, 'g'), `${prefix}${toVariableName(name)}`),
      text,
    );
}

function wrap(text: string, indent: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && indent + line.length + 1 + word.length > COLUMNS) {
      lines.push(line);
      line = '';
    }
    line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line].map((each) => ' '.repeat(indent) + each);
}
