import { SWITCHES } from './command-spec.ts';
import type { CommandSpec, OptionSpec } from './command-spec.ts';
import { COMMAND_NAMES, COMMANDS } from './commands.ts';

/** Lines stay readable in a terminal of this many columns. */
const COLUMNS = 92;
const INDENT = 26;

/** What `--help` prints without a command. */
export function formatOverview(): string {
  return lines([
    'Usage: openchamber-tunnel <command> [options]',
    '',
    'Reaches a local web program from anywhere, through an OpenChamber relay that cannot read it.',
    '',
    'Commands:',
    ...COMMAND_NAMES.flatMap((name) => beside(`${name} ${COMMANDS[name].usage}`, COMMANDS[name].summary)),
    '',
    'Options of every command:',
    ...switches(),
    '',
    ...wrap('openchamber-tunnel <command> --help tells more.', 0),
    ...wrap(EXIT_NOTE, 0),
  ]);
}

/** What `--help` prints with one. */
export function formatHelp(command: CommandSpec): string {
  return lines([
    `Usage: openchamber-tunnel ${command.name} ${command.usage}`.trimEnd() + ' [options]',
    '',
    `${command.summary.slice(0, 1).toUpperCase()}${command.summary.slice(1)}.`,
    '',
    'Options:',
    ...command.options.flatMap(describeOption),
    ...switches(),
    ...describeVariables(command),
    '',
    ...command.notes.flatMap((note) => [...wrap(note, 0), '']),
    ...wrap(EXIT_NOTE, 0),
    '',
    'Examples:',
    ...command.examples.map((example) => `  openchamber-tunnel ${example}`),
  ]);
}

const EXIT_NOTE =
  'SIGTERM or SIGINT stops the command cleanly; a second signal stops it at once. Exit code 1 means that it could ' +
  'not do what it was asked: one line on stderr says why.';

function describeOption({ flag, argument, variable, defaultText, meaning }: OptionSpec): readonly string[] {
  const facts = [variable, defaultText === undefined ? undefined : `default ${defaultText}`];
  const note = facts.filter((fact) => fact !== undefined).join(', ');
  const usage = argument === undefined ? `    ${flag}` : `    ${flag} ${argument}`;
  return [...beside(usage, meaning), ...(note === '' ? [] : wrap(note, INDENT))];
}

function describeVariables({ options, variables = [] }: CommandSpec): readonly string[] {
  const all = [
    ...options.flatMap(({ flag, variable }) =>
      variable === undefined ? [] : [{ variable, meaning: `in place of ${flag}` }],
    ),
    ...variables,
  ];
  if (all.length === 0) return [];
  return [
    '',
    'Environment (a flag goes before its variable; a blank variable counts as unset):',
    ...all.map(({ variable, meaning }) => `  ${variable.padEnd(INDENT)}  ${meaning}`),
  ];
}

function switches(): readonly string[] {
  return SWITCHES.flatMap(({ flag, short, meaning }) =>
    beside(short === undefined ? `    ${flag}` : `${short}, ${flag}`, meaning),
  );
}

function beside(left: string, meaning: string): readonly string[] {
  const [first = '', ...more] = wrap(meaning, INDENT);
  const start = `  ${left}`;
  return start.length < INDENT
    ? [start.padEnd(INDENT) + first.trimStart(), ...more]
    : [start, first, ...more];
}

function wrap(text: string, indent: number): readonly string[] {
  const done: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && indent + line.length + 1 + word.length > COLUMNS) {
      done.push(line);
      line = '';
    }
    line = line === '' ? word : `${line} ${word}`;
  }
  return [...done, line].map((each) => ' '.repeat(indent) + each);
}

function lines(all: readonly string[]): string {
  return `${all.map((line) => line.trimEnd()).join('\n')}\n`;
}
