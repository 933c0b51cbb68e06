import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkArchitecture, checkDigest, mergeArguments, planImage } from '../image.mjs';

const AMD64 = `sha256:${'a'.repeat(64)}`;
const ARM64 = `sha256:${'b'.repeat(64)}`;

test('an image is published under the account where there is one', () => {
  for (const mode of ['publish', 'auto']) {
    assert.deepEqual(planImage({ mode, username: 'someone', hasToken: true }), {
      publish: true,
      image: 'docker.io/someone/openchamber-relay',
    });
  }
});

test('without an account publishing is refused, and auto only builds', () => {
  const nothing = { username: '', hasToken: false };
  assert.throws(
    () => planImage({ mode: 'publish', ...nothing }),
    /the variable DOCKERHUB_USERNAME, the secret DOCKERHUB_TOKEN/,
  );
  assert.throws(
    () => planImage({ mode: 'publish', username: 'someone', hasToken: false }),
    /not set: the secret DOCKERHUB_TOKEN/,
  );
  const { publish, image, remark } = planImage({ mode: 'auto', ...nothing });
  assert.deepEqual({ publish, image }, { publish: false, image: 'local/openchamber-relay' });
  assert.match(remark, /not published/);
});

test('build-only never publishes', () => {
  assert.equal(planImage({ mode: 'build-only', username: 'someone', hasToken: true }).publish, false);
});

test('an unknown mode and a name that is none are refused', () => {
  assert.throws(() => planImage({ mode: 'push', username: 'someone', hasToken: true }), /mode/);
  for (const username of ['Someone', 'a/b', 'abc', 'x'.repeat(31), 'some,push=true']) {
    assert.throws(() => planImage({ mode: 'auto', username, hasToken: true }), /not a Docker Hub name/);
  }
  for (const username of ['abcd', 'x'.repeat(30)]) {
    assert.equal(planImage({ mode: 'auto', username, hasToken: true }).publish, true);
  }
});

test('digests and architectures are taken as they are defined', () => {
  assert.equal(checkDigest(AMD64), AMD64);
  for (const digest of ['', AMD64.slice(0, -1), `${AMD64}a`, AMD64.toUpperCase(), `${AMD64}\n`]) {
    assert.throws(() => checkDigest(digest), /not the digest/);
  }
  assert.equal(checkArchitecture('arm64'), 'arm64');
  assert.throws(() => checkArchitecture('../amd64'), /No image is built/);
});

test('one manifest is made of one digest for each architecture', () => {
  const image = 'docker.io/someone/openchamber-relay';
  const merge = (digests, latest = true) => mergeArguments({ image, version: '1.2.3', latest, digests });
  assert.deepEqual(merge({ arm64: ARM64, amd64: AMD64 }), [
    'buildx',
    'imagetools',
    'create',
    '--tag',
    `${image}:1.2.3`,
    '--tag',
    `${image}:latest`,
    `${image}@${AMD64}`,
    `${image}@${ARM64}`,
  ]);
  assert.ok(!merge({ arm64: ARM64, amd64: AMD64 }, false).includes(`${image}:latest`));
  assert.throws(() => merge({ amd64: AMD64 }), /there are: amd64/);
  assert.throws(() => merge({ amd64: AMD64, arm64: ARM64, s390x: ARM64 }), /s390x/);
  assert.throws(() => merge({ amd64: AMD64, arm64: AMD64 }), /same digest/);
  assert.throws(() => merge({ amd64: AMD64, arm64: 'latest' }), /not the digest/);
});
