import type { Setting } from './settings.ts';

/** Flags as given on the command line; `true` stands for a flag whose value is missing or that takes none. */
export type FlagValues = Readonly<Partial<Record<string, string | boolean>>>;

/** The environment, as `process.env` has it. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The value that counts for one setting, and where it was set. */
export interface Given {
  /** The flag or the full variable name. */
  readonly name: string;
  /** The text as given; undefined for a flag that lacks its value. */
  readonly text: string | undefined;
}

/** Finds the value of a setting that counts: flag, then variable; undefined means the default. */
export type SettingSource<Option extends string = string> = (option: Option) => Given | undefined;

/** What an operator has said: on the command line and in the environment. */
export interface Sayings {
  readonly flags: FlagValues;
  readonly env: Environment;
}

/** Looks values up in flags and environment; what a flag hides is never looked at. */
export function createSettingSource<Option extends string>(
  settings: readonly Setting<Option>[],
  { flags, env }: Sayings,
): SettingSource<Option> {
  const byOption = new Map<Option, Setting>(settings.map((setting) => [setting.option, setting]));
  return (option) => {
    const setting = byOption.get(option);
    return setting && (fromFlag(setting, flags[option]) ?? fromVariable(setting, env[setting.variable]));
  };
}

/** Compose files and shells can hardly unset a variable, only blank it; so blank means unset. */
export function isSet(value: string | undefined): value is string {
  return value !== undefined && value.trim() !== '';
}

function fromFlag(setting: Setting, value: string | boolean | undefined): Given | undefined {
  if (value === undefined || setting.flag === undefined) {
    return undefined;
  }
  const lacksValue = value === true && setting.argument !== undefined;
  return { name: setting.flag, text: lacksValue ? undefined : String(value) };
}

function fromVariable(setting: Setting, value: string | undefined): Given | undefined {
  return isSet(value) ? { name: setting.variable, text: value } : undefined;
}
