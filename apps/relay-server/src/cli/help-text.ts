import { SETTINGS, SWITCHES, variableOf } from '../config/settings.ts';
import type { Setting } from '../config/settings.ts';

/** Lines stay readable in a terminal of this many columns. */
const COLUMNS = 92;
const FLAG_INDENT = 28;
const MEANING_INDENT = 6;

/** The whole `--help`, from the tables alone. */
export function formatHelp(): string {
  const names = SETTINGS.map(({ variable }) => variable.length);
  const defaults = SETTINGS.map(({ defaultText }) => defaultText.length);
  const widths = { name: Math.max(...names), default: Math.max(...defaults) };
  return [
    'Usage: openchamber-relay [options]',
    '',
    'Runs a self-hosted OpenChamber relay in the foreground.',
    '',
    'Options:',
    ...SETTINGS.flatMap(formatFlag),
    ...SWITCHES.map(({ flag, short, meaning }) =>
      besideFlag(short === undefined ? `    ${flag}` : `${short}, ${flag}`, meaning),
    ),
    '',
    'Environment, with defaults and units:',
    ...SETTINGS.map((setting) => formatVariable(setting, widths)),
    '',
    ...wrap(
      'A flag goes before its variable and a variable before the default. A blank variable counts as unset. ' +
        'Booleans are true, 1, false or 0. Limits are positive integers.',
      0,
    ),
    ...wrap(
      'SIGTERM or SIGINT stops the relay cleanly (exit code 0); a second signal stops it at once. ' +
        'Exit code 1 means that it could not start.',
      0,
    ),
    '',
  ].join('\n');
}

function formatFlag({ flag, argument, variable, defaultText, meaning }: Setting): readonly string[] {
  if (flag === undefined) {
    return [];
  }
  const usage = argument === undefined ? `    ${flag}` : `    ${flag} ${argument}`;
  const lines = [besideFlag(usage, meaning), ...wrap(`${variable}, default ${defaultText}`, FLAG_INDENT)];
  return argument === undefined ? [...lines, formatOpposite(flag)] : lines;
}

function formatOpposite(flag: string): string {
  return besideFlag(`    ${flag.replace('--', '--no-')}`, 'do not, whatever the variable says');
}

function besideFlag(usage: string, meaning: string): string {
  return `  ${usage}`.padEnd(FLAG_INDENT) + wrap(meaning, FLAG_INDENT).join('\n').trimStart();
}

function formatVariable(setting: Setting, widths: { name: number; default: number }): string {
  const { variable, defaultText, unit, meaning } = setting;
  const row = `  ${variable.padEnd(widths.name)}  ${defaultText.padStart(widths.default)} ${unit}`.trimEnd();
  return [row, ...wrap(nameVariables(meaning), MEANING_INDENT)].join('\n');
}

/** The table of limits speaks of `maxConnections`; here that is `OPENCHAMBER_RELAY_SERVER_MAX_CONNECTIONS`. */
function nameVariables(meaning: string): string {
  return SETTINGS.reduce(
    (text, { option }) =>
      /[A-Z]/.test(option) ? text.replaceAll(new RegExp(`\\b${option}\\b`, 'g'), variableOf(option)) : text,
    meaning,
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
