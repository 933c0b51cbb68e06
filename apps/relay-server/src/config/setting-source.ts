import { SETTINGS } from './settings.ts';
import type { Setting, SettingOption } from './settings.ts';

/** Flags as given on the command line; `true` stands for a flag whose value is missing or that takes none. */
export type FlagValues = Readonly<Partial<Record<SettingOption, string | boolean>>>;

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
export type SettingSource = (option: SettingOption) => Given | undefined;

/** Looks values up in flags and environment; what a flag hides is never looked at. */
export function createSettingSource(flags: FlagValues, env: Environment): SettingSource {
  const settings = new Map<SettingOption, Setting>(SETTINGS.map((setting) => [setting.option, setting]));
  return (option) => {
    const setting = settings.get(option);
    return setting && (fromFlag(setting, flags[option]) ?? fromVariable(setting, env[setting.variable]));
  };
}

function fromFlag(setting: Setting, value: string | boolean | undefined): Given | undefined {
  if (value === undefined || setting.flag === undefined) {
    return undefined;
  }
  const lacksValue = value === true && setting.argument !== undefined;
  return { name: setting.flag, text: lacksValue ? undefined : String(value) };
}

/** Compose files and shells can hardly unset a variable, only blank it; so blank means unset. */
function fromVariable(setting: Setting, value: string | undefined): Given | undefined {
  return value === undefined || value.trim() === '' ? undefined : { name: setting.variable, text: value };
}
