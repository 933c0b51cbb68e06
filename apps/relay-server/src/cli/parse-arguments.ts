import { describeValue } from '@openchambery/daemon';
import { Command } from 'commander';
import { ConfigError } from '../config/config-error.ts';
import { nearestName } from '../config/nearest-name.ts';
import type { FlagValues } from '../config/setting-source.ts';
import { oppositeFlag, SWITCHES } from '../config/settings.ts';
import type { Setting } from '../config/settings.ts';

/** A command line, taken apart. */
export interface ParsedArguments {
  readonly flags: FlagValues;
  readonly json: boolean;
  readonly quiet: boolean;
  readonly help: boolean;
  readonly version: boolean;
  /** The first thing in it that is no flag of ours. */
  readonly problem: ConfigError | undefined;
}

/**
 * Takes a command line apart. A problem does not end the parsing: whether `--json` was given decides how the
 * problem itself is reported.
 */
export function parseArguments(settings: readonly Setting[], argv: readonly string[]): ParsedArguments {
  const command = createCommand(settings);
  const { operands, unknown } = command.parseOptions([...argv]);
  const values: Readonly<Record<string, string | boolean | undefined>> = command.opts();
  return {
    flags: pickFlags(settings, values),
    json: values['json'] === true,
    quiet: values['quiet'] === true,
    help: values['help'] === true,
    version: values['version'] === true,
    problem: findProblem(allFlags(settings), { operands, unknown }),
  };
}

/** Only commander's parser is used: its help and its error texts are replaced by ours. */
function createCommand(settings: readonly Setting[]): Command {
  const command = new Command().helpOption(false);
  for (const { flag, argument } of settings) {
    if (flag !== undefined) {
      // An optional value never swallows the next flag, so `--port --json` is a missing value, not a port.
      command.option(
        argument === undefined ? flag : `${flag} ${argument.replace('<', '[').replace('>', ']')}`,
      );
    }
  }
  for (const opposite of oppositesOf(settings)) {
    command.option(opposite);
  }
  for (const { flag, short } of SWITCHES) {
    command.option(short === undefined ? flag : `${short}, ${flag}`);
  }
  return command;
}

function pickFlags(
  settings: readonly Setting[],
  values: Readonly<Record<string, string | boolean | undefined>>,
): FlagValues {
  const flags: Record<string, string | boolean> = {};
  for (const { option, flag } of settings) {
    const value = values[option];
    if (flag !== undefined && value !== undefined) {
      flags[option] = value;
    }
  }
  return flags;
}

/** Every flag there is, the short ones left out. */
function allFlags(settings: readonly Setting[]): readonly string[] {
  return [
    ...settings.flatMap(({ flag }) => flag ?? []),
    ...oppositesOf(settings),
    ...SWITCHES.map(({ flag }) => flag),
  ];
}

function oppositesOf(settings: readonly Setting[]): readonly string[] {
  return settings.flatMap((setting) => oppositeFlag(setting) ?? []);
}

/** What commander could not place. */
interface Leftovers {
  readonly operands: readonly string[];
  readonly unknown: readonly string[];
}

function findProblem(flags: readonly string[], { operands, unknown }: Leftovers): ConfigError | undefined {
  const allowed = `one of ${flags.join(', ')}`;
  const stray = operands[0];
  if (stray !== undefined) {
    return new ConfigError(`Unexpected argument ${describeValue(stray)}: expected ${allowed}`);
  }
  const first = unknown[0];
  if (first === undefined) {
    return undefined;
  }
  // What follows `=` may be a secret meant for another program; only the name is repeated.
  const name = first.split('=', 1).join('');
  if (flags.includes(name)) {
    return new ConfigError(
      `Invalid ${name}: expected no value, got ${describeValue(first.slice(name.length + 1))}`,
    );
  }
  const nearest = nearestName(name.toLowerCase(), flags);
  const hint = nearest === undefined ? '' : `; did you mean ${nearest}?`;
  return new ConfigError(`Unknown option ${describeValue(name)}: expected ${allowed}${hint}`);
}
