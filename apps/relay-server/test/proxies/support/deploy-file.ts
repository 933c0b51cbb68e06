import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** A file of deploy/, as operators get it. */
export function readDeployFile(path: string): string {
  return readFileSync(fileURLToPath(new URL(`../../../../../deploy/${path}`, import.meta.url)), 'utf8');
}

/**
 * `text` with names, addresses and paths replaced, the first pair first. What is to be replaced has to be there: a file
 * that has changed must not run with something else than the test thinks.
 */
export function substitute(text: string, pairs: readonly (readonly [from: string, to: string])[]): string {
  let result = text;
  for (const [from, to] of pairs) {
    if (!result.includes(from)) throw new Error(`there is no ${JSON.stringify(from)} to be replaced`);
    result = result.replaceAll(from, to);
  }
  return result;
}
