import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** The integrity of a file as npm writes it: `sha512-` and base64. */
export function integrityOf(file) {
  return `sha512-${createHash('sha512').update(readFileSync(file)).digest('base64')}`;
}
