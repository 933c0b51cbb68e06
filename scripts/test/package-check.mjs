// Packs the published package, installs it with plain npm into an empty folder, and puts it to work there.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runDemo } from '../demo/run-demo.mjs';
import { outsidePath, run } from '../run/command.mjs';
import { appFolder } from '../run/workspace.mjs';

// npm and the Node it came with, not those of the checkout: whoever installs the package has no others.
const env = { PATH: outsidePath() };

/** Resolves to an exit code; says on stdout what was found. */
export async function checkPackage() {
  const folder = mkdtempSync(join(tmpdir(), 'openchamber package '));
  try {
    const tarball = await pack(folder);
    const installed = await install(folder, tarball);
    checkContents(installed);
    await checkCommand(installed, 'openchamber-relay');
    await checkCommand(installed, 'openchamber-push-relay');
    await forwardFrames(installed);
    return 0;
  } catch (error) {
    if (!(error instanceof PackageFault)) {
      throw error;
    }
    process.stdout.write(`${error.message}\n`);
    return 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

class PackageFault extends Error {}

async function pack(folder) {
  const { code, output } = await run('npm', ['pack', '--pack-destination', folder], { cwd: appFolder, env });
  const name = readdirSync(folder).find((entry) => entry.endsWith('.tgz'));
  if (code !== 0 || name === undefined) {
    throw new PackageFault(`npm pack failed:\n${output}`);
  }
  return join(folder, name);
}

/** Prefers npm's cache, so that a second run needs no network. */
async function install(folder, tarball) {
  const cwd = join(folder, 'empty');
  mkdirSync(cwd);
  writeFileSync(join(cwd, 'package.json'), '{"private":true}\n');
  const args = ['install', '--prefer-offline', '--no-audit', '--no-fund', tarball];
  const { code, output } = await run('npm', args, { cwd, env });
  if (code !== 0) {
    throw new PackageFault(`npm install of the tarball failed:\n${output}`);
  }
  const modules = join(cwd, 'node_modules');
  return { modules, command: (name) => join(modules, '.bin', name) };
}

function checkContents({ modules }) {
  const folder = join(modules, '@openchambery', 'relay-server');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const manifest = readFileSync(join(folder, 'package.json'), 'utf8');
  const faults = [
    ...files
      .filter((file) => /\.tsx?$|\.mts$|tsbuildinfo$/.test(file))
      .map((file) => `${file} is TypeScript`),
    ...['README.md', 'LICENSE'].filter((file) => !files.includes(file)).map((file) => `${file} is missing`),
    ...(/workspace:|catalog:/.test(manifest) ? ['package.json has ranges that only pnpm understands'] : []),
    ...readdirSync(join(modules, '@openchambery'))
      .filter((name) => name !== 'relay-server')
      .map((name) => `${name} came along`),
  ];
  if (faults.length > 0) {
    throw new PackageFault(`The package is not fit to publish: ${faults.join('; ')}.`);
  }
}

async function checkCommand(installed, name) {
  const { version } = JSON.parse(readFileSync(join(appFolder, 'package.json'), 'utf8'));
  await expectOutput(installed, [name, '--version'], (output) => output === `${version}\n`);
  await expectOutput(installed, [name, '--help'], (output) => output.startsWith(`Usage: ${name} `));
}

/** On any Node.js that the package may be installed with, however old it is for push itself. */
async function expectOutput({ command }, [name, flag], isExpected) {
  const { code, output } = await run(command(name), [flag], { env });
  if (code !== 0 || !isExpected(output)) {
    throw new PackageFault(`${name} ${flag}: exit code ${code}, got ${output}`);
  }
}

async function forwardFrames({ command }) {
  const mebibytes = 1;
  if ((await runDemo({ command: command('openchamber-relay'), bytes: mebibytes * 1024 * 1024, env })) !== 0) {
    throw new PackageFault('The installed relay did not forward a file there and back.');
  }
}
