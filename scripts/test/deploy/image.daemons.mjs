// Every service of ours: starts hardened, says that it is well and when it is not, does its work, and ends in order.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createCast } from '../../demo/cast.mjs';
import { createPushHost } from '../../demo/push-host.mjs';
import { PROMISES, readProject } from './compose.files.mjs';
import { environmentOf, resolveProject } from './compose.project.mjs';
import { startFakeApple } from './image.apple.mjs';
import { createVolume, startContainer } from './image.container.mjs';

const RELAY_URL = 'ws://127.0.0.1:8787/ws';
const FRAME_BYTES = 32 * 1024;
const NODE_UID = 1000;

export async function testDaemons(tally, { image, expected, folder }) {
  const apple = await startFakeApple(folder);
  const running = [];
  const start = ({ file, name, variables = {}, entrypoint, ...rest }) => {
    const project = serviceOf({ file, name, variables });
    const service = entrypoint ? { ...project.service, entrypoint } : project.service;
    const environment = { ...project.environment, ...rest.environment };
    const container = startContainer({ image, folder, ...rest, service, environment });
    running.push(container);
    return container;
  };
  try {
    await testCommands(tally, { start, expected });
    await testHealthCommands(tally, { image });
    await testRelay(tally, { start, image, folder });
    await testPush(tally, { start, image, folder, apple });
    await testCombined(tally, { start, image, folder, apple });
  } finally {
    await Promise.all(running.map((container) => container.remove()));
    await apple.stop();
  }
}

/** A service as Compose has it when an operator has set `variables` on top of what is required. */
function serviceOf({ file, name, variables }) {
  const all = { ...PROMISES[file].required, ...variables };
  const service = resolveProject(readProject(file), all).services[name];
  return { service, environment: environmentOf(service, all) };
}

async function testCommands(tally, { start, expected }) {
  for (const command of ['openchamber-relay', 'openchamber-push-relay']) {
    await tally.test(`${command} in the image is version ${expected.version}`, async () => {
      const file = 'docker-compose.relay.yml';
      const container = start({ file, name: 'relay', entrypoint: [command], args: ['--version'] });
      assert.equal(await container.ended, 0);
      assert.equal(container.output.stdout, `${expected.version}\n`);
    });
  }
}

async function testHealthCommands(tally, { image }) {
  await tally.test('every Compose file asks for health with the command of the image', () => {
    for (const [file, { services, required }] of Object.entries(PROMISES)) {
      for (const name of services.filter((service) => service !== 'caddy')) {
        const { service } = serviceOf({ file, name, variables: required });
        assert.deepEqual(service.healthcheck.test, image.config.Healthcheck.Test, `${file}: ${name}`);
      }
    }
  });
}

async function testRelay(tally, { start, image, folder }) {
  const file = 'docker-compose.relay-push.remote.yml';
  // What a shell may hold that is set up for push as well.
  const variables = { OPENCHAMBER_RELAY_SERVER_MAX_HOSTS: '7' };
  const relay = start({ file, name: 'relay', variables });
  await tally.test('relay: starts and is healthy', async () => {
    assert.equal(await relay.firstLine(), 'Relay listening at wss://relay.example.org/ws');
    assertHealthy(relay, image);
  });
  await tally.test(
    'relay: is process 1, as node, without capabilities or new privileges, on a read-only root',
    () => assertConfined(relay, ['/opt/openchamber', '/data', '/home/node', '/var/tmp']),
  );
  await tally.test('relay: knows nothing about Apple, and gets the limit that was set', () => {
    const environment = relay.exec('cat', '/proc/1/environ').stdout.split('\0');
    assert.deepEqual(
      environment.filter((entry) => /APNS|APPLE/i.test(entry)),
      [],
    );
    assert.notEqual(relay.exec('ls', '/run/secrets').code, 0);
    assert.ok(environment.includes('OPENCHAMBER_RELAY_SERVER_MAX_HOSTS=7'));
    assert.ok(environment.includes('OPENCHAMBER_RELAY_SERVER_MAX_RAW_SOCKETS_PER_IP=4096'));
  });
  await tally.test('relay: passes a frame from a Client to a Host and back', () => forwardFrame(folder));
  await tally.test('relay: is unhealthy while it hangs, and healthy again after that', () => {
    relay.signal('STOP');
    assertUnhealthy(relay, image, /timeout|aborted/i);
    relay.signal('CONT');
    assertHealthy(relay, image);
  });
  await tally.test('relay: ends with 0 on SIGTERM', async () => assert.equal(await relay.stop(), 0));

  const quick = 'docker-compose.relay.yml';
  await tally.test('relay: is asked for its health where its flags say', async () => {
    const moved = start({ file: quick, name: 'relay', args: ['--port', '9000', '--host=127.0.0.1'] });
    await moved.firstLine();
    assertHealthy(moved, image);
    assert.equal(await moved.stop(), 0);
  });
  await tally.test('relay: a container in which neither daemon runs is unhealthy', async () => {
    const other = start({
      file: quick,
      name: 'relay',
      entrypoint: ['sh', '-c', 'echo up && exec sleep 600'],
    });
    await other.firstLine();
    assertUnhealthy(other, image, /neither of/);
  });
}

async function testPush(tally, { start, image, folder, apple }) {
  const file = 'docker-compose.relay-push.remote.yml';
  const volume = createVolume(join(folder, 'push-data'), { rootfs: image.rootfs, destination: '/data' });
  const setting = apple.settingFor({ file, name: 'push', volume });
  const host = createPushHost('http://127.0.0.1:8788');
  const token = randomBytes(32).toString('hex');

  await tally.test('push: does not start with a key it may not read, and says so', async () => {
    const unreadable = apple.keyFor(0);
    const container = start(apple.settingFor({ file, name: 'push', volume, key: unreadable }));
    assert.equal(await container.ended, 1);
    assert.match(container.output.stderr, /OPENCHAMBER_PUSH_RELAY_APNS_P8_PATH.*EACCES/);
  });
  const push = start(setting);
  await tally.test('push: starts and is healthy', async () => {
    assert.equal(await push.firstLine(), 'Push relay listening at http://0.0.0.0:8788');
    assertHealthy(push, image);
  });
  await tally.test(
    'push: is process 1, as node, without capabilities or new privileges, on a read-only root',
    () => assertConfined(push, ['/opt/openchamber', '/home/node', '/run/secrets/apns_p8']),
  );
  await tally.test('push: wakes a phone', async () => {
    assert.equal((await host.registerToken(token)).status, 200);
    await assertDelivered({ host, token, apple });
  });
  await tally.test('push: is unhealthy while it hangs', () => {
    push.signal('STOP');
    assertUnhealthy(push, image, /timeout|aborted/i);
    push.signal('CONT');
  });
  await tally.test('push: ends with 0 on SIGTERM', async () => assert.equal(await push.stop(), 0));
  await tally.test('push: another container on the same volume knows the phone', async () => {
    const { uid, mode } = statSync(join(volume.source, 'push-relay.sqlite'));
    assert.deepEqual([uid, mode & 0o007], [NODE_UID, 0]);
    const next = start(setting);
    await next.firstLine();
    await assertDelivered({ host, token, apple });
    assert.equal(await next.stop(), 0);
  });
}

async function testCombined(tally, { start, image, folder, apple }) {
  const file = 'docker-compose.relay-combined.yml';
  const volume = createVolume(join(folder, 'combined-data'), { rootfs: image.rootfs, destination: '/data' });
  await tally.test(
    'combined: one container is healthy, passes a frame, wakes a phone and ends with 0',
    async () => {
      const both = start(apple.settingFor({ file, name: 'relay-with-push', volume }));
      await both.firstLine();
      assertHealthy(both, image);
      await forwardFrame(folder);
      const host = createPushHost('http://127.0.0.1:8787');
      const token = randomBytes(32).toString('hex');
      assert.equal((await host.registerToken(token)).status, 200);
      await assertDelivered({ host, token, apple });
      assert.equal(await both.stop(), 0);
    },
  );
}

/** The command that Docker would run, from the image itself. */
function askHealth(container, image) {
  return container.exec(...image.config.Healthcheck.Test.slice(1));
}

function assertHealthy(container, image) {
  const { code, stderr } = askHealth(container, image);
  assert.deepEqual([code, stderr], [0, '']);
}

function assertUnhealthy(container, image, reason) {
  const { code, stderr } = askHealth(container, image);
  assert.equal(code, 1);
  assert.match(stderr, reason);
}

function assertConfined(container, readOnly) {
  const status = container.exec('cat', '/proc/1/status').stdout;
  const field = (name) => new RegExp(`^${name}:\\s*(.*)$`, 'm').exec(status)?.[1].split(/\s+/);
  assert.equal(container.exec('cat', '/proc/1/cmdline').stdout.split('\0')[0], 'node');
  assert.deepEqual(field('Uid'), Array(4).fill(String(NODE_UID)));
  assert.deepEqual(field('Gid'), Array(4).fill(String(NODE_UID)));
  for (const set of ['CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb']) {
    assert.match(field(set)[0], /^0+$/, set);
  }
  assert.deepEqual(field('NoNewPrivs'), ['1']);
  for (const path of readOnly) {
    assert.notEqual(
      container.exec('sh', '-c', `: > ${path}/probe || : >> ${path}`).code,
      0,
      `${path} is writable`,
    );
  }
  assert.equal(container.exec('sh', '-c', ': > /tmp/probe').code, 0);
}

async function forwardFrame(folder) {
  const [sent, received] = [join(folder, 'sent'), join(folder, 'received')];
  writeFileSync(sent, randomBytes(FRAME_BYTES));
  const cast = createCast();
  try {
    const host = await cast.startHost(RELAY_URL);
    await cast.runClient({ url: RELAY_URL, host, sent, received, onProgress: () => {} });
    assert.ok(readFileSync(received).equals(readFileSync(sent)), 'what came back differs');
  } finally {
    cast.kill();
    rmSync(received, { force: true });
  }
}

async function assertDelivered({ host, token, apple }) {
  const title = randomBytes(8).toString('hex');
  const { status, text } = await host.send({ tokens: [token], title });
  assert.equal(status, 200, text);
  assert.deepEqual(JSON.parse(text), { results: [{ token, ok: true }] });
  assert.ok(apple.hasSeen(title), 'the stand-in for Apple has not seen it');
}
