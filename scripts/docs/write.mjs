// `npm run docs`: writes the pages that come from the code.
//   npm run docs -- --check      only says whether they are up to date
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../run/workspace.mjs';
import { formatConfigurationPage } from './configuration-page.mjs';
import { readSettings } from './read-settings.mjs';

const page = 'docs/configuration.md';
const text = formatConfigurationPage(readSettings());

if (process.argv[2] !== '--check') {
  writeFileSync(join(root, page), text);
} else if (readFileSync(join(root, page), 'utf8') !== text) {
  process.stderr.write(`${page} is out of date: run "npm run docs"\n`);
  process.exitCode = 1;
}
