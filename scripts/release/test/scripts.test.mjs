// The scripts as processes, as a workflow runs them; docker, cosign, npm and gh are stand-ins.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { root } from '../../run/workspace.mjs';
import { outputsOf } from '../../test/deploy/workflows.outputs.mjs';
import { integrityOf } from '../integrity.mjs';
import { workspaceVersion } from '../version.mjs';
import { runScript, stubTools } from './stub-tools.mjs';

const VERSION = workspaceVersion();
const IMAGE = 'docker.io/someone/openchamber-relay';
const AMD64 = `sha256:${'a'.repeat(64)}`;
const ARM64 = `sha256:${'b'.repeat(64)}`;
const MERGED = `sha256:${'c'.repeat(64)}`;
const scratch = mkdtempSync(join(tmpdir(), 'openchamber-release-test-'));
after(() => rmSync(scratch, { recursive: true, force: true }));

function promisedOutputs(script) {
  return outputsOf(readFileSync(join(root, 'scripts', 'release', script), 'utf8')).sort();
}

test('plan.mjs puts out what it promises for a tag that fits', async () => {
  const env = { GITHUB_REF_TYPE: 'tag', GITHUB_REF_NAME: `relay/v${VERSION}` };
  const { code, outputs } = await runScript('plan.mjs', env);
  assert.equal(code, 0);
  assert.deepEqual(Object.keys(outputs).sort(), promisedOutputs('plan.mjs'));
  assert.equal(outputs.scope, 'relay');
  assert.equal(outputs.version, VERSION);
});

test('plan.mjs stops a tag that does not fit, with one error that GitHub shows', async () => {
  const env = { GITHUB_ACTIONS: 'true', GITHUB_REF_TYPE: 'tag', GITHUB_REF_NAME: 'v99.0.0' };
  const { code, text, outputs } = await runScript('plan.mjs', env);
  assert.equal(code, 1);
  assert.match(text, /^::error::The tag v99\.0\.0 names version 99\.0\.0/);
  assert.deepEqual(outputs, {});
});

test('image-plan.mjs puts out what it promises, and refuses another version', async () => {
  const env = { MODE: 'publish', DOCKERHUB_USERNAME: 'someone', HAS_DOCKERHUB_TOKEN: 'true' };
  const { code, outputs } = await runScript('image-plan.mjs', { ...env, EXPECTED_VERSION: VERSION });
  assert.equal(code, 0);
  assert.deepEqual(Object.keys(outputs).sort(), promisedOutputs('image-plan.mjs'));
  assert.deepEqual([outputs.publish, outputs.image, outputs.version], ['true', IMAGE, VERSION]);
  assert.equal((await runScript('image-plan.mjs', { ...env, EXPECTED_VERSION: '99.0.0' })).code, 1);
});

test('image-plan.mjs without an account builds only, and says so', async () => {
  const env = { GITHUB_ACTIONS: 'true', MODE: 'auto', HAS_DOCKERHUB_TOKEN: 'false' };
  const { code, text, outputs } = await runScript('image-plan.mjs', env);
  assert.equal(code, 0);
  assert.match(text, /::warning::The image is built but not published/);
  assert.equal(outputs.publish, 'false');
  assert.equal((await runScript('image-plan.mjs', { ...env, MODE: 'publish' })).code, 1);
});

test('a step that was not given its variables says which one', async () => {
  const { code, text } = await runScript('merge-image.mjs', { IMAGE });
  assert.equal(code, 1);
  assert.match(text, /VERSION is missing/);
});

test('digests of all architectures become one image with its tags', async () => {
  const folder = join(scratch, 'digests');
  for (const [ARCHITECTURE, DIGEST] of Object.entries({ amd64: AMD64, arm64: ARM64 })) {
    const { code } = await runScript('record-digest.mjs', { ARCHITECTURE, DIGEST, DIGEST_FOLDER: folder });
    assert.equal(code, 0);
  }
  using docker = stubTools(
    ['docker'],
    [
      { to: 'docker buildx imagetools create', stdout: '' },
      { to: `docker buildx imagetools inspect ${IMAGE}:1.2.3`, stdout: JSON.stringify({ digest: MERGED }) },
    ],
  );
  const env = { IMAGE, VERSION: '1.2.3', LATEST: 'true', DIGEST_FOLDER: folder };
  const { code, outputs } = await runScript('merge-image.mjs', env, docker);
  assert.equal(code, 0);
  assert.deepEqual(Object.keys(outputs).sort(), promisedOutputs('merge-image.mjs'));
  assert.equal(outputs.reference, `${IMAGE}:1.2.3@${MERGED}`);
  assert.equal(
    docker.calls()[0],
    `docker buildx imagetools create --tag ${IMAGE}:1.2.3 --tag ${IMAGE}:latest ${IMAGE}@${AMD64} ${IMAGE}@${ARM64}`,
  );
});

test('a digest that is none is not recorded', async () => {
  const env = { ARCHITECTURE: 'amd64', DIGEST: 'latest', DIGEST_FOLDER: join(scratch, 'none') };
  assert.equal((await runScript('record-digest.mjs', env)).code, 1);
});

test('the merged image is signed by digest, and a failed signature fails the step', async () => {
  const env = { IMAGE, DIGEST: MERGED };
  using signing = stubTools(['cosign'], [{ to: 'cosign sign', stdout: 'signed\n' }]);
  assert.equal((await runScript('sign-image.mjs', env, signing)).code, 0);
  assert.deepEqual(signing.calls(), [`cosign sign --yes --recursive ${IMAGE}@${MERGED}`]);
  using failing = stubTools(['cosign'], [{ to: 'cosign sign', stderr: 'no identity\n', code: 1 }]);
  const { code, text } = await runScript('sign-image.mjs', env, failing);
  assert.equal(code, 1);
  assert.match(text, /no identity/);
});

/** Answers of docker for an image that is fine; `changes` come first. */
function dockerAnswers(address, changes = []) {
  const config = { User: 'node', Labels: { 'org.opencontainers.image.version': '1.2.3' } };
  return [
    ...changes,
    { to: 'docker image inspect', stdout: JSON.stringify([{ Config: config }]) },
    { to: 'docker run --rm', stdout: '1.2.3\n' },
    { to: 'docker run --detach', stdout: 'c0ffee\n' },
    { to: 'docker port c0ffee 8787/tcp', stdout: `${address}\n` },
    { to: 'docker stop', stdout: '' },
    { to: 'docker inspect', stdout: '0\n' },
    { to: 'docker logs c0ffee', stdout: 'what the relay said\n' },
    { to: 'docker rm --force --volumes c0ffee', stdout: '' },
  ];
}

async function smoke({ status = 200, changes }) {
  const server = createServer((request, response) => {
    response.writeHead(request.url === '/healthz' ? status : 404).end();
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  using docker = stubTools(['docker'], dockerAnswers(`127.0.0.1:${server.address().port}`, changes));
  const env = { IMAGE: 'relay:smoke', VERSION: '1.2.3', START_WITHIN_MS: '1000' };
  try {
    return { ...(await runScript('smoke-image.mjs', env, docker)), calls: docker.calls() };
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

test('a healthy image passes, started hardened and removed afterwards', async () => {
  const { code, calls } = await smoke({});
  assert.equal(code, 0);
  const start = calls.find((call) => call.startsWith('docker run --detach'));
  for (const option of ['--read-only', '--tmpfs /tmp', '--cap-drop ALL', '--publish 127.0.0.1::8787']) {
    assert.ok(start.includes(option), option);
  }
  assert.equal(calls.at(-1), 'docker rm --force --volumes c0ffee');
  assert.equal(calls.filter((call) => call.endsWith('relay:smoke --version')).length, 2);
});

test('an image that is never healthy fails with its log, and is removed', async () => {
  const { code, text, calls } = await smoke({ status: 503 });
  assert.equal(code, 1);
  assert.match(text, /what the relay said/);
  assert.match(text, /not healthy after 1 s: status 503/);
  assert.equal(calls.at(-1), 'docker rm --force --volumes c0ffee');
});

const broken = {
  'runs as root': [/runs as root/, { to: 'docker image inspect', stdout: inspected('0:0', '1.2.3') }],
  'has no user': [/runs as root/, { to: 'docker image inspect', stdout: inspected('', '1.2.3') }],
  'has another label': [
    /labelled as version 1\.2\.2/,
    { to: 'docker image inspect', stdout: inspected('node', '1.2.2') },
  ],
  'has another command': [/openchamber-relay --version/, { to: 'docker run --rm', stdout: '1.2.2\n' }],
  'cannot start': [/failed with exit code 125/, { to: 'docker run --detach', code: 125 }],
  'does not stop': [/exit code 137/, { to: 'docker inspect', stdout: '137\n' }],
};

function inspected(user, version) {
  return JSON.stringify([
    { Config: { User: user, Labels: { 'org.opencontainers.image.version': version } } },
  ]);
}

for (const [what, [message, change]] of Object.entries(broken)) {
  test(`an image that ${what} fails`, async () => {
    const { code, text } = await smoke({ changes: [change] });
    assert.equal(code, 1);
    assert.match(text, message);
  });
}

function tarballEnvironment() {
  const packages = ['first', 'second'].map((name) => {
    const file = `${name}-1.2.3.tgz`;
    writeFileSync(join(scratch, file), name);
    return { name: `@scope/${name}`, file, integrity: integrityOf(join(scratch, file)) };
  });
  return { PACK_FOLDER: scratch, PACKAGES: JSON.stringify(packages), PRERELEASE: 'false', LATEST: 'true' };
}

function integrityIn({ PACKAGES }, index) {
  return JSON.stringify(JSON.parse(PACKAGES)[index].integrity);
}

const UNKNOWN = { to: 'npm view', stderr: 'npm error code E404\n', code: 1 };

test('publish.mjs publishes the tested tarballs in order and with provenance, once', async () => {
  const env = tarballEnvironment();
  using fresh = stubTools(['npm'], [UNKNOWN, { to: 'npm publish', stdout: '+ done\n' }]);
  assert.equal((await runScript('publish.mjs', env, fresh)).code, 0);
  const published = ['first', 'second'].map(
    (name) => `npm publish ${join(scratch, name)}-1.2.3.tgz --access public --provenance --tag latest`,
  );
  assert.deepEqual(fresh.calls().slice(2), published);
  using again = stubTools(
    ['npm'],
    [
      { to: 'npm view @scope/first', stdout: integrityIn(env, 0) },
      { to: 'npm view @scope/second', stdout: integrityIn(env, 1) },
    ],
  );
  assert.equal((await runScript('publish.mjs', env, again)).code, 0);
  assert.equal(again.calls().length, 2);
});

test('publish.mjs goes on where it stopped', async () => {
  const env = tarballEnvironment();
  using npm = stubTools(
    ['npm'],
    [
      { to: 'npm view @scope/first', stdout: integrityIn(env, 0) },
      UNKNOWN,
      { to: 'npm publish', stdout: '+ done\n' },
    ],
  );
  assert.equal((await runScript('publish.mjs', env, npm)).code, 0);
  assert.match(npm.calls().slice(2).join(), /^npm publish \S+second-1\.2\.3\.tgz [^,]*$/);
});

test('publish.mjs publishes nothing when one of the versions is taken', async () => {
  using npm = stubTools(
    ['npm'],
    [{ to: 'npm view @scope/second', stdout: '"sha512-other"' }, UNKNOWN, { to: 'npm publish', stdout: '' }],
  );
  const { code, text } = await runScript('publish.mjs', tarballEnvironment(), npm);
  assert.equal(code, 1);
  assert.match(text, /npm has another @scope\/second@/);
  assert.equal(npm.calls().length, 2);
});

test('publish.mjs uses a token for the registry that npm is set up for, and does not show it', async () => {
  const env = { ...tarballEnvironment(), NODE_AUTH_TOKEN: 'secret-token' };
  using npm = stubTools(
    ['npm'],
    [
      UNKNOWN,
      { to: 'npm config get registry', stdout: 'https://packages.example/npm/\n' },
      { to: 'npm publish', stdout: '+ done\n' },
    ],
  );
  const { code, text } = await runScript('publish.mjs', env, npm);
  assert.equal(code, 0);
  assert.match(npm.calls()[3], /^npm publish /);
  assert.doesNotMatch(`${text}${npm.calls().join()}`, /secret-token/);
});

test('publish.mjs refuses tarballs when one of them is not the tested one', async () => {
  using npm = stubTools(['npm'], []);
  const env = tarballEnvironment();
  writeFileSync(join(scratch, 'second-1.2.3.tgz'), 'others');
  const { code, text } = await runScript('publish.mjs', env, npm);
  assert.equal(code, 1);
  assert.match(text, /second-1\.2\.3\.tgz is not the tarball that was tested/);
  assert.deepEqual(npm.calls(), []);
});

test('github-release.mjs makes the release of its tag', async () => {
  const env = { ...tarballEnvironment(), IMAGE_REFERENCE: `${IMAGE}:${VERSION}@${MERGED}` };
  using gh = stubTools(
    ['gh'],
    [
      { to: 'gh release view', code: 1 },
      { to: 'gh release create', stdout: 'made\n' },
    ],
  );
  const { code } = await runScript('github-release.mjs', { ...env, GITHUB_REF_NAME: `v${VERSION}` }, gh);
  assert.equal(code, 0);
  assert.match(
    gh.calls()[1],
    new RegExp(`^gh release create v${VERSION} .*first-1.2.3.tgz .*second-1.2.3.tgz .*--latest=true`),
  );
  const relay = { ...env, GITHUB_REF_NAME: `relay/v${VERSION}` };
  assert.equal((await runScript('github-release.mjs', relay, gh)).code, 0);
  assert.match(gh.calls()[3], /--title Relay .*--latest=false/);
});
