import { ConfigError } from '../config/config-error.ts';
import { resolveConfig } from '../config/resolve-config.ts';
import type { Config } from '../config/resolve-config.ts';
import { createSettingSource } from '../config/setting-source.ts';
import type { Environment } from '../config/setting-source.ts';
import { findUnknownVariables } from '../config/unknown-variables.ts';
import type { UnknownVariable } from '../config/unknown-variables.ts';
import { formatHelp } from './help-text.ts';
import { parseArguments } from './parse-arguments.ts';
import { version } from './version.ts';

/** How the outcome of start-up is reported. */
export interface ReportStyle {
  readonly json: boolean;
  readonly quiet: boolean;
}

/** What one invocation is to do. */
export type Plan =
  | { readonly action: 'print'; readonly text: string }
  | { readonly action: 'refuse'; readonly problem: string; readonly style: ReportStyle }
  | {
      readonly action: 'serve';
      readonly config: Config;
      readonly unknownVariables: readonly UnknownVariable[];
      readonly style: ReportStyle;
    };

/** Decides what to do from the command line and the environment; touches nothing. */
export function planCommand(argv: readonly string[], env: Environment): Plan {
  const parsed = parseArguments(argv);
  const style = { json: parsed.json, quiet: parsed.quiet };
  // Somebody who asks for help gets it, however wrong the rest of the line is.
  if (parsed.help) {
    return { action: 'print', text: formatHelp() };
  }
  if (parsed.version) {
    return { action: 'print', text: `${version}\n` };
  }
  if (parsed.problem !== undefined) {
    return { action: 'refuse', problem: parsed.problem.message, style };
  }
  try {
    const config = resolveConfig(createSettingSource(parsed.flags, env));
    return { action: 'serve', config, unknownVariables: findUnknownVariables(env), style };
  } catch (error) {
    if (error instanceof ConfigError) {
      return { action: 'refuse', problem: error.message, style };
    }
    throw error;
  }
}
