// `npm run build:binary`: openchamber-relay as one executable file for the system it is built on.
import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from '../run/workspace.mjs';
import { buildExecutable } from './executable.mjs';

const { values } = parseArgs({ options: { out: { type: 'string' } } });
const out = resolve(values.out ?? join(root, 'dist', 'openchamber-relay'));

await buildExecutable(out);
process.stdout.write(`${out} (${(statSync(out).size / 1e6).toFixed(0)} MB)\n`);
