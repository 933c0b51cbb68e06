// The fake APNs, and what a container needs to take it for Apple.
import { spawn } from 'node:child_process';
import { chmodSync, chownSync, copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { firstOf, readLine } from '../../demo/first-word.mjs';
import { toolEnvironment } from '../../run/command.mjs';
import { root, tool } from '../../run/workspace.mjs';

const MAIN = join(root, 'packages', 'testkit', 'src', 'fake-apns', 'command', 'main.ts');
const P8_PATH = 'OPENCHAMBER_PUSH_RELAY_APNS_P8_PATH';
const CA_PATH = '/etc/openchamber-test-ca.pem';
const NODE_UID = 1000;

/** Starts it, with its key and its CA below `folder`. */
export async function startFakeApple(folder) {
  const home = join(folder, 'apple');
  mkdirSync(home);
  const args = ['--conditions=@openchambery/source', MAIN, '--json', '--show-payload', '--folder', home];
  const child = spawn(tool('node'), args, { env: toolEnvironment(), stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise((resolve) => child.once('close', (code, signal) => resolve({ code, signal })));
  let seen = '';
  child.stderr.setEncoding('utf8').on('data', (chunk) => {
    seen += chunk;
  });
  const line = await firstOf({ name: 'fake APNs', child, ended }, (done) => readLine(child, done));
  const { [P8_PATH]: p8, NODE_EXTRA_CA_CERTS: ca, ...variables } = JSON.parse(line).env;

  /** The operator's copy of the key, readable for one user only, as the Compose file asks for it. */
  const keyFor = (uid) => {
    const key = join(home, `key-of-${uid}.p8`);
    copyFileSync(p8, key);
    chmodSync(key, 0o400);
    chownSync(key, uid, uid);
    return key;
  };
  return {
    keyFor,
    hasSeen: (text) => seen.includes(text),
    /** What to start a service with; only the CA is more than its Compose file has. */
    settingFor: ({ file, name, volume, key = keyFor(NODE_UID) }) => ({
      file,
      name,
      variables: { ...variables, OPENCHAMBER_PUSH_RELAY_APNS_P8_FILE: key },
      environment: { NODE_EXTRA_CA_CERTS: CA_PATH },
      binds: [
        volume,
        { source: key, destination: '/run/secrets/apns_p8', isWritable: false },
        { source: ca, destination: CA_PATH, isWritable: false },
      ],
    }),
    stop: () => {
      child.kill('SIGTERM');
      return ended;
    },
  };
}
