import { nearestName } from './nearest-name.ts';
import type { Environment } from './setting-source.ts';
import { SETTINGS, VARIABLE_PREFIX } from './settings.ts';

/** A variable that carries the relay's prefix and means nothing: almost surely a typo. */
export interface UnknownVariable {
  readonly name: string;
  /** The full name of the variable that was probably meant. */
  readonly suggestion: string | undefined;
}

/** Finds what an operator believes to have set and has not; blank variables count as unset. */
export function findUnknownVariables(env: Environment): readonly UnknownVariable[] {
  const known = SETTINGS.map((setting) => setting.variable.slice(VARIABLE_PREFIX.length));
  return Object.entries(env)
    .filter(([name, value]) => name.startsWith(VARIABLE_PREFIX) && value !== undefined && value.trim() !== '')
    .map(([name]) => ({ name, tail: name.slice(VARIABLE_PREFIX.length) }))
    .filter(({ tail }) => !known.includes(tail))
    .map(({ name, tail }) => {
      const nearest = nearestName(tail, known);
      return { name, suggestion: nearest && `${VARIABLE_PREFIX}${nearest}` };
    });
}
