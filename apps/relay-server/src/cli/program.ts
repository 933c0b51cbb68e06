import type { Environment, SettingSource } from '../config/setting-source.ts';
import type { SettingTable } from '../config/settings.ts';
import type { UnknownVariable } from '../config/unknown-variables.ts';
import type { SystemdEnvironment } from '../systemd/environment.ts';
import type { Output, ReportStyle } from './startup-report.ts';

/** What tells one of the package's commands from another. */
export interface Program<Option extends string, Config> {
  /** As it is called in a shell. */
  readonly command: string;
  /** What it runs, in sentences: `relay`. */
  readonly noun: string;
  /** Further paragraphs at the end of `--help`. */
  readonly notes: readonly string[];
  readonly table: SettingTable<Option>;
  /**
   * Reads and checks every setting.
   * @throws {ConfigError} for the first one that is not usable.
   */
  resolveConfig(source: SettingSource<Option>): Config;
  /** Runs in the foreground; resolves once start-up has been reported. */
  serve(plan: ServePlan<Config>, surroundings: Surroundings): Promise<void>;
}

/** The plan of an invocation that starts something. */
export interface ServePlan<Config> {
  readonly action: 'serve';
  readonly config: Config;
  readonly unknownVariables: readonly UnknownVariable[];
  readonly style: ReportStyle;
}

/** What an invocation has around it. */
export interface Surroundings {
  readonly env: Environment;
  readonly output: Output;
  readonly systemd: SystemdEnvironment;
}
