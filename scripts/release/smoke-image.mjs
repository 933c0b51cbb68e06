// Starts an image the way operators do (read-only, no capabilities, not root) and asks it for its health.
//   IMAGE=name:tag VERSION=1.2.3 [START_WITHIN_MS=60000] node scripts/release/smoke-image.mjs
import { setTimeout as sleep } from 'node:timers/promises';
import { ReleaseFault } from './release-fault.mjs';
import { mustRun, required, runStep, runTool } from './step.mjs';

const PORT = 8787;
const START_WITHIN_MS = Number(process.env.START_WITHIN_MS ?? 60_000);
const ASK_EVERY_MS = 250;
const HARDENING = [
  '--read-only',
  '--tmpfs',
  '/tmp',
  '--cap-drop',
  'ALL',
  '--security-opt',
  'no-new-privileges',
];

await runStep(async () => {
  const image = required('IMAGE');
  const version = required('VERSION');
  checkConfiguration(image, version);
  checkCommands(image, version);
  const container = start(image);
  try {
    await waitForHealth(`http://${addressOf(container)}/healthz`);
    checkStop(container);
  } catch (error) {
    process.stdout.write(runTool('docker', ['logs', container]).output);
    throw error;
  } finally {
    runTool('docker', ['rm', '--force', '--volumes', container]);
  }
  process.stdout.write(`${image}: ${version} starts, is healthy and stops.\n`);
});

function checkConfiguration(image, version) {
  const [{ Config: config }] = JSON.parse(mustRun('docker', ['image', 'inspect', image]));
  const label = config.Labels?.['org.opencontainers.image.version'];
  if (label !== version) {
    throw new ReleaseFault(`The image is labelled as version ${label}, not ${version}.`);
  }
  if (['', 'root', '0'].includes((config.User ?? '').split(':')[0])) {
    throw new ReleaseFault('The image runs as root.');
  }
}

/** Both commands of the image are there and are of this version. */
function checkCommands(image, version) {
  for (const command of ['openchamber-relay', 'openchamber-push-relay']) {
    const args = ['run', '--rm', ...HARDENING, '--entrypoint', command, image, '--version'];
    const said = mustRun('docker', args).trim();
    if (said !== version) {
      throw new ReleaseFault(
        `${command} --version in the image says ${JSON.stringify(said)}, not ${version}.`,
      );
    }
  }
}

function start(image) {
  return mustRun('docker', [
    'run',
    '--detach',
    ...HARDENING,
    '--publish',
    `127.0.0.1::${PORT}`,
    image,
  ]).trim();
}

function addressOf(container) {
  const [address = ''] = mustRun('docker', ['port', container, `${PORT}/tcp`])
    .trim()
    .split('\n');
  return address;
}

async function waitForHealth(url) {
  const giveUpAt = performance.now() + START_WITHIN_MS;
  let last = 'no answer';
  while (performance.now() < giveUpAt) {
    last = await ask(url);
    if (last === 'status 200') {
      return;
    }
    // Another process, without a signal for "listens now": asking again is all there is.
    await sleep(ASK_EVERY_MS);
  }
  throw new ReleaseFault(`${url} is not healthy after ${START_WITHIN_MS / 1000} s: ${last}.`);
}

async function ask(url) {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(5_000) });
    return `status ${response.status}`;
  } catch (error) {
    return error.cause?.code ?? error.message;
  }
}

/** SIGTERM ends it with 0, and well within the grace that Compose gives. */
function checkStop(container) {
  mustRun('docker', ['stop', '--time', '30', container]);
  const code = mustRun('docker', ['inspect', '--format', '{{.State.ExitCode}}', container]).trim();
  if (code !== '0') {
    throw new ReleaseFault(`The container ended with exit code ${code} on SIGTERM.`);
  }
}
