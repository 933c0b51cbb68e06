import assert from 'node:assert/strict';
import { test } from 'node:test';
import { releaseCommands, releaseText } from '../github.mjs';
import { distTag, judgePublished } from '../npm.mjs';

const EXPECTED = { release: 'a@1.0.0', integrity: 'sha512-AAAA' };

test('npm is asked what it has before anything is published', () => {
  const said = (code, stdout, stderr = '') =>
    judgePublished({ code, stdout, output: stdout + stderr }, EXPECTED);
  assert.equal(said(1, '', 'npm error code E404\nnpm error 404 Not Found'), 'new');
  assert.equal(said(0, ''), 'new');
  assert.equal(said(0, '"sha512-AAAA"\n'), 'published');
  assert.throws(() => said(0, '"sha512-BBBB"\n'), /raise the version/);
  assert.throws(() => said(1, '', 'npm error code ECONNRESET'), /does not say/);
});

test('only the newest version becomes latest on npm', () => {
  assert.equal(distTag({ prerelease: false, latest: true }), 'latest');
  assert.equal(distTag({ prerelease: false, latest: false }), 'maintenance');
  assert.equal(distTag({ prerelease: true, latest: false }), 'next');
});

test('the release says what to pin', () => {
  const text = releaseText({
    notes: '- One.\n',
    image: 'docker.io/someone/openchamber-relay:1.0.0@sha256:00',
    packages: [EXPECTED, { release: 'b@1.0.0', integrity: 'sha512-BBBB' }],
  });
  assert.ok(text.startsWith('- One.\n\n## What to pin\n'));
  assert.ok(text.includes('`docker.io/someone/openchamber-relay:1.0.0@sha256:00`'));
  assert.ok(text.endsWith('| `a@1.0.0` (`sha512-AAAA`) |\n| npm package | `b@1.0.0` (`sha512-BBBB`) |\n'));
});

test('a release that exists is brought up to date', () => {
  const wanted = {
    tag: 'v1.0.0',
    title: '1.0.0',
    notesFile: 'n',
    tarballs: ['t', 'u'],
    prerelease: false,
    latest: true,
  };
  const [create, ...none] = releaseCommands({ ...wanted, exists: false });
  assert.deepEqual(none, []);
  assert.deepEqual(create.slice(0, 6), ['release', 'create', 'v1.0.0', 't', 'u', '--verify-tag']);
  assert.ok(create.includes('--latest=true') && create.includes('--prerelease=false'));
  const [edit, upload] = releaseCommands({ ...wanted, exists: true });
  assert.deepEqual(edit.slice(0, 3), ['release', 'edit', 'v1.0.0']);
  assert.deepEqual(upload, ['release', 'upload', 'v1.0.0', 't', 'u', '--clobber']);
});
