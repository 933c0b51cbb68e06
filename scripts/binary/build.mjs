// `npm run build:binary [-- --out FILE]`: openchamber-relay as one executable file for the system it is built on.
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { buildExecutable } from './executable.mjs';

const { values } = parseArgs({ options: { out: { type: 'string', default: 'dist/openchamber-relay' } } });
const out = resolve(values.out);

await buildExecutable(out);
process.stdout.write(`${out} (${(statSync(out).size / 1e6).toFixed(0)} MB)\n`);
