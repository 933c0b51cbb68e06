// Starts a fake APNs and a push relay that believes it to be Apple, registers a phone and sends it an alert.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toolEnvironment } from '../run/command.mjs';
import { freePort } from '../run/free-port.mjs';
import { root, tool } from '../run/workspace.mjs';
import { firstOf, readLine } from './first-word.mjs';
import { createPushHost } from './push-host.mjs';

/** Resolves to 0 only if the alert arrived at the fake APNs. */
export async function runPushDemo({ command, isCombined }) {
  const folder = mkdtempSync(join(tmpdir(), 'openchamber-push-demo-'));
  const children = [];
  const cleanUp = () => {
    for (const child of children) child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  };
  const onSignal = (signal) => {
    cleanUp();
    process.exit(signal === 'SIGINT' ? 130 : 143);
  };
  process.once('SIGINT', onSignal).once('SIGTERM', onSignal);
  const start = async (name, program, { args, env }) => {
    const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
    children.push(child);
    const ended = new Promise((resolve) => child.once('close', (code, signal) => resolve({ code, signal })));
    const line = JSON.parse(await firstOf({ name, child, ended }, (done) => readLine(child, done)));
    if (line.status !== 'ok') throw new Error(line.error);
    return { ...line, stop: () => (child.kill('SIGTERM'), ended) };
  };
  try {
    return await play({ start, folder, command, isCombined });
  } catch (error) {
    say(`The demo failed: ${error.message}`);
    return 1;
  } finally {
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
    cleanUp();
  }
}

async function play({ start, folder, command, isCombined }) {
  const main = join(root, 'packages', 'testkit', 'src', 'fake-apns', 'command', 'main.ts');
  const apns = await start('fake APNs', tool('node'), {
    args: ['--conditions=@openchambery/source', main, '--json', '--show-payload', '--folder', folder],
    env: toolEnvironment(),
  });
  const relay = await start('push relay', command, {
    args: ['--port', String(await freePort()), '--json'],
    env: pushEnvironment({ ...apns.env, OPENCHAMBER_PUSH_RELAY_DATABASE_PATH: join(folder, 'push.sqlite') }),
  });
  const url = relay.url.replace(/^ws(s?):/, 'http$1:').replace(/\/ws$/, '');
  say(`${isCombined ? 'Relay with push' : 'Push relay'} at ${url}, with a stand-in for Apple.`);

  const host = createPushHost(url);
  const token = randomBytes(32).toString('hex');
  say(`Host ${host.serverId.slice(0, 8)}… registers phone ${token.slice(0, 8)}… :`);
  const registered = await host.registerToken(token);
  say(`  ${registered.status} ${registered.text}`);
  say('It sends "Build finished"; what Apple would see:');
  const sent = await host.send({ tokens: [token], title: 'Build finished', body: 'All tests passed.' });
  say(`  ${sent.status} ${shorten(sent.text, token)}`);
  const results = sent.status === 200 ? JSON.parse(sent.text).results : [];
  const { code } = await relay.stop();
  await apns.stop();
  const isDelivered = registered.status === 200 && results[0]?.ok === true && code === 0;
  say(isDelivered ? 'The alert was delivered.' : 'The alert was NOT delivered.');
  return isDelivered ? 0 : 1;
}

/** The demo is the same for everybody, whatever relay the shell is set up for. */
function pushEnvironment(variables) {
  const others = Object.entries(toolEnvironment()).filter(([name]) => !name.startsWith('OPENCHAMBER_'));
  return {
    ...Object.fromEntries(others),
    OPENCHAMBER_RELAY_SERVER_LOG_LEVEL: 'warn',
    OPENCHAMBER_PUSH_RELAY_LOG_LEVEL: 'warn',
    ...variables,
  };
}

function shorten(text, token) {
  return text.replaceAll(token, `${token.slice(0, 8)}…`);
}

function say(text) {
  process.stdout.write(`${text}\n`);
}
