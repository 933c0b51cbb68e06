// `npm run version` with the real changesets, in a copy of this workspace's manifests.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { after, before, test } from 'node:test';
import { root } from '../../run/workspace.mjs';
import { releaseNotes } from '../changelog.mjs';
import { versionedPackages, workspaceVersion } from '../version.mjs';

const copy = mkdtempSync(join(tmpdir(), 'openchamber-version-test-'));
after(() => rmSync(copy, { recursive: true, force: true }));

before(() => {
  for (const path of ['package.json', 'pnpm-workspace.yaml', '.gitignore', 'CHANGELOG.md', 'scripts']) {
    cpSync(join(root, path), join(copy, path), { recursive: true });
  }
  mkdirSync(join(copy, '.changeset'));
  cpSync(join(root, '.changeset', 'config.json'), join(copy, '.changeset', 'config.json'));
  for (const { folder } of versionedPackages()) {
    const place = join(copy, relative(root, folder));
    mkdirSync(place, { recursive: true });
    cpSync(join(folder, 'package.json'), join(place, 'package.json'));
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  git('init', '--quiet', '--initial-branch=main');
  git('add', '--all');
  const nobody = [
    '-c',
    'user.name=nobody',
    '-c',
    'user.email=nobody@example.org',
    '-c',
    'commit.gpgsign=false',
  ];
  git(...nobody, 'commit', '--quiet', '--message=start');
});

function git(...args) {
  const { status, stdout, stderr } = spawnSync('git', args, { cwd: copy, encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  return stdout;
}

function version() {
  const script = join(copy, 'scripts', 'release', 'version-packages.mjs');
  const { status, stdout, stderr } = spawnSync(process.execPath, [script], { cwd: copy, encoding: 'utf8' });
  return { code: status, text: stdout + stderr };
}

function addChangeset(name, { bumps, summary }) {
  const lines = Object.entries(bumps).map(([packageName, kind]) => `"${packageName}": ${kind}`);
  const file = join(copy, '.changeset', `${name}.md`);
  writeFileSync(file, `---\n${lines.join('\n')}\n---\n\n${summary}\n`);
}

test('without a changeset nothing happens', () => {
  const { code, text } = version();
  assert.equal(code, 1);
  assert.match(text, /There is no pending changeset/);
  assert.equal(git('status', '--porcelain'), '');
});

test('a change of one package gives all packages the same new version and the change log one entry', () => {
  const [major, minor] = workspaceVersion(copy).split('.').map(Number);
  addChangeset('brave-tests-sing', {
    bumps: { '@openchambery/relay': 'minor' },
    summary: 'The relay sings.\n\nOnly in the shower.',
  });
  addChangeset('calm-tests-hum', { bumps: { '@openchambery/push': 'patch' }, summary: 'Push hums.' });
  const { code, text } = version();
  assert.equal(code, 0, text);
  const next = `${major}.${minor + 1}.0`;
  assert.equal(workspaceVersion(copy), next);
  assert.equal(versionedPackages(copy).length, versionedPackages().length);
  const changelog = readFileSync(join(copy, 'CHANGELOG.md'), 'utf8');
  const notes =
    '### New\n\n- The relay sings.\n\n  Only in the shower.\n\n### Fixed and improved\n\n- Push hums.\n';
  assert.equal(releaseNotes(next, changelog), notes);
  // What changesets writes for the action is not committed.
  assert.equal(git('ls-files', '--others', '--exclude-standard'), '');
  // The action reads one for every package whose version changed.
  for (const { folder } of versionedPackages(copy)) {
    assert.ok(readFileSync(join(folder, 'CHANGELOG.md'), 'utf8').includes(`## ${next}\n`), folder);
  }
});

test('packages that differ are not bumped', () => {
  addChangeset('odd-tests-sleep', { bumps: { '@openchambery/push': 'patch' }, summary: 'Push sleeps.' });
  const [{ folder }] = versionedPackages(copy);
  const file = join(folder, 'package.json');
  const manifest = readFileSync(file, 'utf8');
  writeFileSync(file, JSON.stringify({ ...JSON.parse(manifest), version: '9.9.9' }));
  const { code, text } = version();
  writeFileSync(file, manifest);
  assert.equal(code, 1);
  assert.match(text, /do not have one version/);
});
