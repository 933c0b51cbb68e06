import { describeValue } from '@openchambery/daemon';
import { Command } from 'commander';
import { ConfigError } from '../config/config-error.ts';
import { nearestName } from '../config/nearest-name.ts';
import type { FlagValues } from '../config/setting-source.ts';
import { SETTINGS, SWITCHES } from '../config/settings.ts';
import type { SettingOption } from '../config/settings.ts';

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
export function parseArguments(argv: readonly string[]): ParsedArguments {
  const command = createCommand();
  const { operands, unknown } = command.parseOptions([...argv]);
  const values: Readonly<Record<string, string | boolean | undefined>> = command.opts();
  return {
    flags: pickFlags(values),
    json: values['json'] === true,
    quiet: values['quiet'] === true,
    help: values['help'] === true,
    version: values['version'] === true,
    problem: findProblem(operands, unknown),
  };
}

/** Only commander's parser is used: its help and its error texts are replaced by ours. */
function createCommand(): Command {
  const command = new Command().helpOption(false);
  for (const { flag, argument } of SETTINGS) {
    if (flag !== undefined) {
      // An optional value never swallows the next flag, so `--port --json` is a missing value, not a port.
      command.option(
        argument === undefined ? flag : `${flag} ${argument.replace('<', '[').replace('>', ']')}`,
      );
    }
  }
  command.option('--no-trust-proxy');
  for (const { flag, short } of SWITCHES) {
    command.option(short === undefined ? flag : `${short}, ${flag}`);
  }
  return command;
}

function pickFlags(values: Readonly<Record<string, string | boolean | undefined>>): FlagValues {
  const flags: Partial<Record<SettingOption, string | boolean>> = {};
  for (const { option, flag } of SETTINGS) {
    const value = values[option];
    if (flag !== undefined && value !== undefined) {
      flags[option] = value;
    }
  }
  return flags;
}

/** Every flag there is, the short ones left out. */
const ALL_FLAGS: readonly string[] = [
  ...SETTINGS.flatMap(({ flag }) => flag ?? []),
  '--no-trust-proxy',
  ...SWITCHES.map(({ flag }) => flag),
];

function findProblem(operands: readonly string[], unknown: readonly string[]): ConfigError | undefined {
  const stray = operands[0];
  if (stray !== undefined) {
    return new ConfigError(`Unexpected argument ${describeValue(stray)}: expected ${oneOfTheFlags()}`);
  }
  const first = unknown[0];
  if (first === undefined) {
    return undefined;
  }
  // What follows `=` may be a secret meant for another program; only the name is repeated.
  const name = first.split('=', 1).join('');
  if (ALL_FLAGS.includes(name)) {
    return new ConfigError(
      `Invalid ${name}: expected no value, got ${describeValue(first.slice(name.length + 1))}`,
    );
  }
  const nearest = nearestName(name.toLowerCase(), ALL_FLAGS);
  const hint = nearest === undefined ? '' : `; did you mean ${nearest}?`;
  return new ConfigError(`Unknown option ${describeValue(name)}: expected ${oneOfTheFlags()}${hint}`);
}

function oneOfTheFlags(): string {
  return `one of ${ALL_FLAGS.join(', ')}`;
}
