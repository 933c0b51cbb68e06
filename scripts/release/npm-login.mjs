// Lets npm use a token from the environment, for whatever registry it is set up for.
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mustRun } from './step.mjs';

/** The environment for npm: with NODE_AUTH_TOKEN it finds a file that refers to it; the token itself is not written. */
export function npmEnvironment() {
  const { NODE_AUTH_TOKEN: token } = process.env;
  if (token === undefined || token === '') return process.env;
  const registry = new URL(mustRun('npm', ['config', 'get', 'registry']).trim());
  const file = join(mkdtempSync(join(tmpdir(), 'npm-login-')), 'npmrc');
  writeFileSync(file, `//${registry.host}${registry.pathname}:_authToken=\${NODE_AUTH_TOKEN}\n`, {
    mode: 0o600,
  });
  return { ...process.env, NPM_CONFIG_USERCONFIG: file };
}
