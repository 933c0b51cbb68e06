// The units of deploy/systemd: what docs show, what systemd-analyze says, and what a real systemd does with them.
import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '../../run/command.mjs';
import { root } from '../../run/workspace.mjs';
import { whyNotBooted, withBootedSystemd } from './systemd.booted.mjs';
import { scenarios } from './systemd.scenarios.mjs';
import { createTally } from './tally.mjs';

const unitsFolder = join(root, 'deploy', 'systemd');
const page = join(root, 'docs', 'deploy', 'systemd.md');
/** The highest exposure that `systemd-analyze security` may find, times ten; 9.6 is a service without any hardening. */
const MAX_EXPOSURE = 15;

/** Resolves to `{ passed, failed, skipped }`. */
export async function checkSystemd() {
  const tally = createTally();
  const files = await readUnits();
  await tally.test('docs/deploy/systemd.md shows every file of deploy/systemd as it is', () =>
    checkPage(files),
  );
  await installInCi();
  await analyze(tally, files);
  await boot(tally);
  return tally.counts();
}

/** By path in deploy/systemd. */
async function readUnits() {
  const entries = await readdir(unitsFolder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  assert.ok(paths.length > 0, 'deploy/systemd has no files');
  return new Map(
    await Promise.all(
      paths.map(async (path) => [path.slice(unitsFolder.length + 1), await readFile(path, 'utf8')]),
    ),
  );
}

async function checkPage(files) {
  const text = await readFile(page, 'utf8');
  const lacking = [...files].filter(([, content]) => !text.includes(`\n\`\`\`ini\n${content}\`\`\`\n`));
  assert.deepEqual(
    lacking.map(([path]) => path),
    [],
  );
}

async function analyze(tally, files) {
  const { code } = await run('systemd-analyze', ['--version']);
  if (code !== 0) {
    tally.skip('systemd-analyze', 'it is not installed (apt-get install systemd)');
    return;
  }
  const folder = await mkdtemp(join(tmpdir(), 'openchamber-units-'));
  try {
    for (const [path, content] of files) {
      // What is to be started is not installed here.
      if (!path.includes('/')) {
        await writeFile(join(folder, path), content.replace(/^ExecStart=.*$/m, 'ExecStart=/bin/true'));
      }
    }
    const units = (await readdir(folder)).map((name) => join(folder, name));
    await tally.test(`systemd-analyze verify has nothing to say about ${units.length} units`, async () => {
      const { code: verdict, output } = await run('systemd-analyze', ['verify', ...units]);
      assert.deepEqual({ verdict, output: output.trim() }, { verdict: 0, output: '' });
    });
    for (const unit of units.filter((path) => path.endsWith('.service'))) await rateExposure(tally, unit);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function rateExposure(tally, unit) {
  const name = unit.slice(unit.lastIndexOf('/') + 1);
  await tally.test(`the exposure of ${name} is ${MAX_EXPOSURE / 10} at most`, async () => {
    const options = ['security', '--offline=true', `--threshold=${MAX_EXPOSURE}`, '--no-pager', unit];
    const { code, output } = await run('systemd-analyze', options);
    const verdict = output.trim().split('\n').at(-1);
    process.stdout.write(`        ${verdict}\n`);
    assert.equal(code, 0, output);
  });
}

async function boot(tally) {
  const reason = whyNotBooted();
  if (reason !== undefined) {
    for (const [name] of scenarios) tally.skip(name, reason);
    return;
  }
  await tally.test('a systemd boots with the units, and ends', () =>
    withBootedSystemd(async (inside) => {
      for (const [name, scenario] of scenarios) await tally.test(name, () => scenario(inside));
    }),
  );
}

/** CI has to bring what it needs; a person is told. */
async function installInCi() {
  const { code } = await run('sh', [
    '-c',
    'command -v systemd-analyze && command -v unshare && command -v ip',
  ]);
  if (code === 0 || process.env.CI !== 'true' || process.getuid?.() !== 0) return;
  const packages = ['systemd', 'util-linux', 'iproute2'];
  const env = { DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
  const install = [
    '-qq',
    '-y',
    '--no-install-recommends',
    '-o',
    'DPkg::Lock::Timeout=120',
    'install',
    ...packages,
  ];
  for (const step of [['-qq', 'update'], install]) {
    const { code: failed, output } = await run('apt-get', step, { env });
    if (failed !== 0) process.stdout.write(`apt-get ${step.join(' ')} failed\n${output}`);
  }
}
