import { nearestName } from './nearest-name.ts';
import { isSet } from './setting-source.ts';
import type { Environment } from './setting-source.ts';
import type { SettingTable } from './settings.ts';

/** A variable that carries a program's prefix and means nothing: almost surely a typo. */
export interface UnknownVariable {
  readonly name: string;
  /** The full name of the variable that was probably meant. */
  readonly suggestion: string | undefined;
}

/** Finds what an operator believes to have set and has not; blank variables count as unset. */
export function findUnknownVariables(table: SettingTable, env: Environment): readonly UnknownVariable[] {
  const { prefix, settings, foreignVariables } = table;
  const known = settings.map((setting) => setting.variable.slice(prefix.length));
  return Object.entries(env)
    .filter(([name, value]) => name.startsWith(prefix) && isSet(value) && !foreignVariables.includes(name))
    .map(([name]) => ({ name, tail: name.slice(prefix.length) }))
    .filter(({ tail }) => !known.includes(tail))
    .map(({ name, tail }) => {
      const nearest = nearestName(tail, known);
      return { name, suggestion: nearest && `${prefix}${nearest}` };
    });
}
