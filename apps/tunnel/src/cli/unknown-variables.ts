import { LINK_VARIABLE, STATE_VARIABLE, VARIABLE_PREFIX } from './commands.ts';
import { describeValue } from './describe-value.ts';
import { nearestName } from './nearest-name.ts';
import { isSet } from './settings.ts';
import type { Environment } from './settings.ts';

/** Every variable of ours that begins with the prefix. */
const KNOWN = [STATE_VARIABLE, LINK_VARIABLE];

/** A line for each variable that carries our prefix and means nothing: almost surely a typing error. */
export function findUnknownVariables(env: Environment): readonly string[] {
  return Object.entries(env)
    .filter(([name, value]) => name.startsWith(VARIABLE_PREFIX) && isSet(value) && !KNOWN.includes(name))
    .map(([name]) => {
      const tails = KNOWN.map((known) => known.slice(VARIABLE_PREFIX.length));
      const nearest = nearestName(name.slice(VARIABLE_PREFIX.length), tails);
      const hint = nearest === undefined ? '' : `; did you mean ${VARIABLE_PREFIX}${nearest}?`;
      return `Warning: unknown environment variable ${describeValue(name)} has no effect${hint}`;
    });
}
