import { Command } from 'commander';
import { SWITCHES } from './command-spec.ts';
import type { CommandSpec } from './command-spec.ts';
import { COMMAND_NAMES, findCommand } from './commands.ts';
import { describeValue } from './describe-value.ts';
import { nearestName } from './nearest-name.ts';
import { UsageError } from './usage-error.ts';

/** The value of a flag: texts in the order given; `undefined` among them stands for a value that is missing. */
export type FlagTexts = readonly (string | undefined)[];

/** A command line, taken apart. */
export interface CommandLine {
  /** `undefined` when no command was named. */
  readonly command: CommandSpec | undefined;
  readonly operands: readonly string[];
  /** By flag, as in `--relay`; flags that were not given are missing. A flag without a value has none. */
  readonly flags: ReadonlyMap<string, FlagTexts>;
  readonly json: boolean;
  readonly quiet: boolean;
  readonly help: boolean;
  readonly version: boolean;
  /** The first thing in it that is not ours. */
  readonly problem: UsageError | undefined;
}

/**
 * Takes a command line apart. A problem does not end the parsing: whether `--json` was given decides how the problem
 * itself is reported.
 */
export function parseCommandLine(argv: readonly string[]): CommandLine {
  const { command, rest, problem } = takeCommand(argv);
  const flags = new Map<string, FlagTexts>();
  const parser = createParser(command, flags);
  const { operands, unknown } = parser.parseOptions([...rest]);
  const has = (flag: string): boolean => flags.has(flag);
  return {
    command,
    operands,
    flags,
    json: has('--json'),
    quiet: has('--quiet'),
    help: has('--help'),
    version: has('--version'),
    problem: problem ?? findProblem(command, { operands, unknown }),
  };
}

interface Taken {
  readonly command: CommandSpec | undefined;
  readonly rest: readonly string[];
  readonly problem: UsageError | undefined;
}

function isSwitch(word: string): boolean {
  return SWITCHES.some(({ flag, short }) => word === flag || word === short);
}

/** The command is the first word; only switches may come before it. */
function takeCommand(argv: readonly string[]): Taken {
  const index = argv.findIndex((word) => !isSwitch(word));
  const word = argv[index];
  if (word === undefined) return { command: undefined, rest: argv, problem: undefined };
  const command = findCommand(word);
  const rest = argv.toSpliced(index, 1);
  if (command !== undefined) return { command, rest, problem: undefined };
  const allowed = `one of ${COMMAND_NAMES.join(', ')}`;
  if (word.startsWith('-')) {
    const problem = new UsageError(`Unexpected ${describeName(word)}: expected a command first, ${allowed}`);
    return { command: undefined, rest: argv, problem };
  }
  const nearest = nearestName(word.toLowerCase(), COMMAND_NAMES);
  const hint = nearest === undefined ? '' : `; did you mean ${nearest}?`;
  // Somebody may have forgotten the command and given a link.
  const echo = word.includes('#') ? 'word' : `command ${describeValue(word)}`;
  const problem = new UsageError(`Unknown ${echo}: expected ${allowed}${hint}`);
  return { command: undefined, rest, problem };
}

/** Only commander's parser is used: its help and its error texts are replaced by ours. */
function createParser(command: CommandSpec | undefined, flags: Map<string, FlagTexts>): Command {
  const parser = new Command().helpOption(false);
  const declare = (spelling: string, flag: string): void => {
    // An optional value never swallows the next flag, so `--relay --json` is a missing value, not a URL.
    const option = parser.createOption(spelling);
    parser.addOption(option);
    parser.on(`option:${option.name()}`, (value: string | null | undefined) => {
      flags.set(flag, [...(flags.get(flag) ?? []), value ?? undefined]);
    });
  };
  for (const { flag, argument } of command?.options ?? []) {
    declare(argument === undefined ? flag : `${flag} ${argument.replace('<', '[').replace('>', ']')}`, flag);
  }
  for (const { flag, short } of SWITCHES) {
    declare(short === undefined ? flag : `${short}, ${flag}`, flag);
  }
  return parser;
}

/** What commander could not place. */
interface Leftovers {
  readonly operands: readonly string[];
  readonly unknown: readonly string[];
}

function findProblem(command: CommandSpec | undefined, leftovers: Leftovers): UsageError | undefined {
  if (command === undefined) return undefined;
  const flags = [...command.options, ...SWITCHES].map(({ flag }) => flag);
  const first = leftovers.unknown.find((word) => word.startsWith('-'));
  if (first !== undefined) return unknownFlag(first, flags);
  const stray = leftovers.operands[command.maxOperands];
  if (stray === undefined) return undefined;
  const usage = `openchamber-tunnel ${command.name} ${command.usage}`.trim();
  // It may be a link, with its secret.
  const echo = stray.includes('#') ? 'a further argument' : `argument ${describeValue(stray)}`;
  return new UsageError(`Unexpected ${echo}: expected ${usage} [options]`);
}

function unknownFlag(word: string, flags: readonly string[]): UsageError {
  const name = word.split('=', 1).join('');
  if (flags.includes(name)) return new UsageError(`Invalid ${name}: expected no value`);
  const nearest = nearestName(name.toLowerCase(), flags);
  const hint = nearest === undefined ? '' : `; did you mean ${nearest}?`;
  return new UsageError(`Unknown option ${describeName(word)}: expected one of ${flags.join(', ')}${hint}`);
}

/** What follows `=` may be a secret meant for another program; only the name is repeated. */
function describeName(word: string): string {
  return describeValue(word.split('=', 1).join(''));
}
