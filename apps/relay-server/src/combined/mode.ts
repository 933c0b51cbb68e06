import { isSet } from '../config/setting-source.ts';
import type { Environment } from '../config/setting-source.ts';
import { APNS_PREFIX } from '../push/prefixes.ts';

/** Whether the relay is to serve push as well (push, section 5): any variable about Apple says so. */
export function isCombined(env: Environment): boolean {
  return Object.entries(env).some(([name, value]) => name.startsWith(APNS_PREFIX) && isSet(value));
}
