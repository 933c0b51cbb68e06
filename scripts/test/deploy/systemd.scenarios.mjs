// What the units of deploy/systemd do in a systemd that was booted for them. `run` runs a command inside.
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';

const RELAY = 'openchamber-relay.service';
const PUSH = 'openchamber-push-relay.service';
const CLIENT = '/opt/openchamber/scripts/test/deploy/systemd.restart-client.mjs';
/** Key id and team id have ten characters; nobody is asked to send anything. */
const APNS =
  'OPENCHAMBER_PUSH_RELAY_APNS_KEY_ID=ABC123DEFG\nOPENCHAMBER_PUSH_RELAY_APNS_TEAM_ID=DEF123GHIJ\n';

/** In order: each begins where the one before has ended. */
export const scenarios = [
  ['the relay is started when it says that it is ready', startsReady],
  ['a restart refuses no connection', restartsWithoutRefusal],
  ['who connects while the service is stopped starts it, and is answered', startsOnConnection],
  ['a relay that gives no sign of life is replaced', replacesHungRelay],
  ['stopping both units ends the relay in order, and the port is closed', stops],
  ['push finds its key and keeps its database to itself', startsPush],
  ['a restart of push refuses no connection', restartsPush],
  ['the drop-in mounts push on the relay', startsCombined],
];

function must(run, ...command) {
  const { status, stdout, stderr } = run(...command);
  assert.equal(status, 0, `${command.join(' ')}: ${stdout}${stderr}`);
  return stdout;
}

function show(run, unit, property) {
  return must(run, 'systemctl', 'show', '--value', '-p', property, unit).trim();
}

/** Starts it, or shows what it wrote. */
function start(run, unit) {
  const { status, stderr } = run('systemctl', 'start', unit);
  const log = `/run/${unit.replace('.service', '.err')}`;
  assert.equal(status, 0, `${stderr}${run('cat', log).stdout}${run('systemctl', 'status', unit).stdout}`);
}

function fetchInside(run, url, method = 'GET') {
  const script = `const r = await fetch('${url}', { method: '${method}', ${method === 'POST' ? "body: '{}'" : ''} });
    process.stdout.write(r.status + ' ' + (await r.text()))`;
  return must(run, 'node', '--input-type=module', '-e', script);
}

/** Polls what only systemd knows. */
function eventually(run, seconds, check) {
  for (let attempt = 1; attempt <= seconds * 10; attempt++) {
    if (check()) return true;
    run('sleep', '0.1');
  }
  return false;
}

function startsReady(run) {
  start(run, RELAY);
  assert.equal(show(run, RELAY, 'ActiveState'), 'active');
  assert.equal(show(run, RELAY, 'StatusText'), 'Relay listening at ws://127.0.0.1:8787/ws');
  assert.equal(fetchInside(run, 'http://127.0.0.1:8787/readyz').slice(0, 3), '200');
}

function restarts(run, unit, url) {
  const before = show(run, unit, 'MainPID');
  const { exitCode, outcomes } = JSON.parse(must(run, 'node', CLIENT, unit, url));
  assert.equal(exitCode, 0);
  assert.deepEqual(Object.keys(outcomes), ['200']);
  assert.ok(outcomes['200'] >= 5, `asked only ${outcomes['200']} times`);
  assert.notEqual(show(run, unit, 'MainPID'), before);
}

function restartsWithoutRefusal(run) {
  restarts(run, RELAY, 'http://127.0.0.1:8787/healthz');
}

function startsOnConnection(run) {
  must(run, 'systemctl', 'stop', RELAY);
  assert.equal(show(run, RELAY, 'ActiveState'), 'inactive');
  assert.equal(fetchInside(run, 'http://127.0.0.1:8787/healthz').slice(0, 3), '200');
  // The answer may be here before systemd has read that the relay is ready.
  assert.ok(eventually(run, 15, () => show(run, RELAY, 'ActiveState') === 'active'));
}

function replacesHungRelay(run) {
  const pid = show(run, RELAY, 'MainPID');
  // Alive for longer than the watchdog waits: it does get its signs of life.
  run('sleep', '3');
  assert.deepEqual([show(run, RELAY, 'MainPID'), show(run, RELAY, 'NRestarts')], [pid, '0']);
  must(run, 'kill', '-STOP', pid);
  assert.ok(eventually(run, 15, () => show(run, RELAY, 'NRestarts') === '1'));
  assert.equal(fetchInside(run, 'http://127.0.0.1:8787/healthz').slice(0, 3), '200');
}

function stops(run) {
  must(run, 'systemctl', 'stop', 'openchamber-relay.socket', RELAY);
  assert.deepEqual([show(run, RELAY, 'Result'), show(run, RELAY, 'ExecMainStatus')], ['success', '0']);
  assert.notEqual(run('curl', '-s', 'http://127.0.0.1:8787/healthz').status, 0);
}

function startsPush(run) {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const pem = privateKey.export({ format: 'pem', type: 'pkcs8' });
  writeInside(run, '/etc/openchamber/apns.p8', pem);
  writeInside(run, '/etc/openchamber/push-relay.env', APNS);
  start(run, PUSH);
  assert.equal(show(run, PUSH, 'StatusText'), 'Push relay listening at http://127.0.0.1:8788');
  const answer = fetchInside(run, 'http://127.0.0.1:8788/v1/push/send', 'POST');
  assert.equal(answer, '400 {"error":"invalid_request"}');
  const modes = must(
    run,
    'sh',
    '-c',
    'cd /var/lib/openchamber-push-relay && stat -c "%a" . push-relay.sqlite',
  );
  assert.equal(modes, '700\n600\n');
}

function restartsPush(run) {
  restarts(run, PUSH, 'http://127.0.0.1:8788/healthz');
}

function startsCombined(run) {
  must(run, 'systemctl', 'stop', 'openchamber-push-relay.socket', PUSH);
  const dropIn = '/opt/openchamber/deploy/systemd/openchamber-relay.service.d/push.conf';
  must(run, 'cp', dropIn, '/etc/systemd/system/openchamber-relay.service.d/push.conf');
  writeInside(run, '/etc/openchamber/relay.env', APNS);
  must(run, 'systemctl', 'daemon-reload');
  start(run, RELAY);
  const answer = fetchInside(run, 'http://127.0.0.1:8787/v1/push/send', 'POST');
  assert.equal(answer, '400 {"error":"invalid_request"}');
  must(run, 'test', '-f', '/var/lib/openchamber-relay/push-relay.sqlite');
}

/** As an operator would keep it: for root alone. */
function writeInside(run, path, text) {
  must(run, 'sh', '-c', 'umask 077; printf %s "$2" > "$1"', 'sh', path, text);
}
