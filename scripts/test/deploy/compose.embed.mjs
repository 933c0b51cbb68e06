// The Caddyfile of a Compose file is a copy of one in deploy/caddy. Run by hand this puts the copies there:
//   node scripts/test/deploy/compose.embed.mjs
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { root } from '../../run/workspace.mjs';
import { PROMISES } from './compose.files.mjs';

// From the line that opens the block to the end of the file.
const BLOCK = /^ {4}content: \|\n(?:(?: {6}.*)?\n)*$(?![\s\S])/m;
const INDENT = ' '.repeat(6);

/** The text of a Compose file with this Caddyfile in it; Compose takes a single $ for its own. */
export function embed(text, caddyfile) {
  if (!BLOCK.test(text)) {
    throw new Error('There is no block "content: |" at the end of the file.');
  }
  const lines = caddyfile.replaceAll('$', '$$$$').trimEnd().split('\n');
  const block = lines.map((line) => (line === '' ? '' : `${INDENT}${line}`)).join('\n');
  return text.replace(BLOCK, () => `    content: |\n${block}\n`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [name, { caddyfile }] of Object.entries(PROMISES)) {
    if (caddyfile) {
      const file = join(root, name);
      writeFileSync(file, embed(readFileSync(file, 'utf8'), readFileSync(join(root, caddyfile), 'utf8')));
    }
  }
}
