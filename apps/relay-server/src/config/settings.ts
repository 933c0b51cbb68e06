/** One thing an operator can set: where it can be set, and what `--help` says about it. */
export interface Setting<Option extends string = string> {
  readonly option: Option;
  /** The long flag, where there is one: `--host`. */
  readonly flag?: string;
  /** The placeholder of the flag's value; a flag without one takes no value and has an opposite, `--no-…`. */
  readonly argument?: string;
  /** The full name of the environment variable. */
  readonly variable: string;
  /** The value in force when nobody sets one, as text. */
  readonly defaultText: string;
  /** `ms`, `bytes`, `count`, or empty where there is none. */
  readonly unit: string;
  readonly meaning: string;
  /** Whether a bad value must not be repeated in a message; one that holds a key never is. */
  readonly isSecret?: (text: string) => boolean;
}

/** Everything an operator can set for one program. */
export interface SettingTable<Option extends string = string> {
  /** What every environment variable of the program starts with. */
  readonly prefix: string;
  readonly settings: readonly Setting<Option>[];
  /** Full names of variables that carry the prefix and are for other programs. */
  readonly foreignVariables: readonly string[];
}

/** A flag that only the command line has. */
export interface Switch {
  readonly name: 'json' | 'quiet' | 'help' | 'version';
  readonly flag: string;
  readonly short?: string;
  readonly meaning: string;
}

/** pino's levels, the most talkative first. */
export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

/** One of {@link LOG_LEVELS}. */
export type LogLevel = (typeof LOG_LEVELS)[number];

/** The level in force when nobody sets one. */
export const DEFAULT_LOG_LEVEL: LogLevel = 'info';

/** Every flag that is not a setting; all programs have the same. */
export const SWITCHES: readonly Switch[] = [
  { name: 'json', flag: '--json', meaning: 'report start-up or its failure as one line of JSON on stdout' },
  { name: 'quiet', flag: '--quiet', short: '-q', meaning: 'no start-up line (the one of --json stays)' },
  { name: 'help', flag: '--help', short: '-h', meaning: 'print this text' },
  { name: 'version', flag: '--version', short: '-v', meaning: 'print the version' },
];

/** `--trust-proxy` → `--no-trust-proxy`; undefined for a setting without a flag or whose flag takes a value. */
export function oppositeFlag({ flag, argument }: Setting): string | undefined {
  return argument === undefined ? flag?.replace('--', '--no-') : undefined;
}
