import { ConfigError } from '../config/config-error.ts';
import { createSettingSource } from '../config/setting-source.ts';
import type { Environment } from '../config/setting-source.ts';
import { findUnknownVariables } from '../config/unknown-variables.ts';
import { formatHelp } from './help-text.ts';
import { parseArguments } from './parse-arguments.ts';
import type { Program, ServePlan } from './program.ts';
import type { ReportStyle } from './startup-report.ts';
import { version } from './version.ts';

/** What one invocation is to do. */
export type Plan<Config> =
  | { readonly action: 'print'; readonly text: string }
  | { readonly action: 'refuse'; readonly problem: string; readonly style: ReportStyle }
  | ServePlan<Config>;

/** Where an invocation comes from. */
export interface Invocation {
  readonly argv: readonly string[];
  readonly env: Environment;
}

/** Decides what to do from the command line and the environment; opens nothing. */
export function planCommand<Option extends string, Config>(
  program: Program<Option, Config>,
  { argv, env }: Invocation,
): Plan<Config> {
  const { table } = program;
  const parsed = parseArguments(table.settings, argv);
  const style = { json: parsed.json, quiet: parsed.quiet };
  // Somebody who asks for help gets it, however wrong the rest of the line is.
  if (parsed.help) {
    return { action: 'print', text: formatHelp(program) };
  }
  if (parsed.version) {
    return { action: 'print', text: `${version}\n` };
  }
  if (parsed.problem !== undefined) {
    return { action: 'refuse', problem: parsed.problem.message, style };
  }
  try {
    const config = program.resolveConfig(createSettingSource(table.settings, { flags: parsed.flags, env }));
    return { action: 'serve', config, unknownVariables: findUnknownVariables(table, env), style };
  } catch (error) {
    if (error instanceof ConfigError) {
      return { action: 'refuse', problem: error.message, style };
    }
    throw error;
  }
}
