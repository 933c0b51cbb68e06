import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ReleaseFault } from '../release-fault.mjs';
import { isLatest, parseTag, planRelease } from '../tag.mjs';
import {
  compareReleased,
  isPrerelease,
  parseVersion,
  versionedPackages,
  workspaceVersion,
} from '../version.mjs';

function workspace(versions) {
  const folder = mkdtempSync(join(tmpdir(), 'openchamber-versions-'));
  writeFileSync(
    join(folder, 'pnpm-workspace.yaml'),
    'packages:\n  - packages/*\n  - soak\n\ncatalog:\n  a: 1.0.0\n',
  );
  for (const [path, version] of Object.entries(versions)) {
    mkdirSync(join(folder, path), { recursive: true });
    writeFileSync(join(folder, path, 'package.json'), JSON.stringify({ name: path, version }));
  }
  return folder;
}

function inWorkspace(versions, check) {
  const folder = workspace(versions);
  try {
    check(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

test('a version is three numbers and perhaps a prerelease', () => {
  for (const version of ['0.1.0', '1.2.3', '10.20.30', '1.0.0-rc.1', '1.0.0-0a', '1.0.0--']) {
    assert.ok(parseVersion(version), version);
  }
  for (const text of [
    '1.2',
    'v1.2.3',
    '01.2.3',
    '1.2.3-01',
    '1.2.3+build',
    '1.2.3-',
    '1.2.3-a..b',
    ' 1.2.3',
    '1.2.3\n',
    '',
  ]) {
    assert.equal(parseVersion(text), undefined, JSON.stringify(text));
  }
  assert.equal(isPrerelease('1.0.0-rc.1'), true);
  assert.equal(isPrerelease('1.0.0'), false);
});

test('versions compare by number, not by text', () => {
  assert.ok(compareReleased('0.10.0', '0.9.9') > 0);
  assert.ok(compareReleased('1.0.0', '0.99.99') > 0);
  assert.ok(compareReleased('1.0.1', '1.0.2') < 0);
  assert.equal(compareReleased('1.0.0', '1.0.0'), 0);
});

test('a tag names what is released and its version', () => {
  assert.deepEqual(parseTag('v1.2.3'), { scope: 'all', version: '1.2.3' });
  assert.deepEqual(parseTag('relay/v1.2.3-rc.1'), { scope: 'relay', version: '1.2.3-rc.1' });
  for (const tag of [
    '1.2.3',
    'v1.2',
    'relay/1.2.3',
    'relayv1.2.3',
    'x/v1.2.3',
    'v1.2.3;id',
    'v$(id)',
    'v1.2.3\nx=y',
  ]) {
    assert.equal(parseTag(tag), undefined, tag);
  }
});

test('a release is refused when the tag does not name the version of the packages', () => {
  const plan = (refName, refType = 'tag') => planRelease({ refType, refName, version: '1.2.3' });
  assert.deepEqual(plan('v1.2.3'), { scope: 'all', version: '1.2.3', prerelease: false });
  assert.deepEqual(plan('relay/v1.2.3'), { scope: 'relay', version: '1.2.3', prerelease: false });
  assert.throws(() => plan('v1.2.4'), /names version 1\.2\.4, but the packages have 1\.2\.3/);
  assert.throws(() => plan('release-1'), /neither v<version> nor relay\/v<version>/);
  assert.throws(() => plan('main', 'branch'), ReleaseFault);
});

test('latest never goes back and never to a prerelease', () => {
  const tags = ['v0.9.0', 'v0.10.0', 'relay/v0.10.1', 'v0.11.0-rc.1', 'something', ''];
  assert.equal(isLatest('0.10.1', tags), true);
  assert.equal(isLatest('0.11.0', tags), true);
  assert.equal(isLatest('0.10.0', tags), false);
  assert.equal(isLatest('0.12.0-rc.1', tags), false);
  assert.equal(isLatest('0.0.1', []), true);
});

test('the workspace has one version, or none', () => {
  inWorkspace({ 'packages/a': '1.0.0', 'packages/b': '1.0.0', soak: '1.0.0' }, (folder) => {
    assert.equal(workspaceVersion(folder), '1.0.0');
    assert.equal(versionedPackages(folder).length, 3);
  });
  inWorkspace({ 'packages/a': '1.0.0', soak: '1.0.1' }, (folder) => {
    assert.throws(() => workspaceVersion(folder), /packages\/a 1\.0\.0, soak 1\.0\.1/);
  });
  inWorkspace({ 'packages/a': 'next' }, (folder) =>
    assert.throws(() => workspaceVersion(folder), ReleaseFault),
  );
  inWorkspace({}, (folder) => assert.throws(() => workspaceVersion(folder), /none found/));
});

test('this workspace has one version', () => {
  assert.ok(parseVersion(workspaceVersion()));
  assert.ok(versionedPackages().some(({ name }) => name === '@openchambery/relay-server'));
});
