// Breaks copies of the workflows, one way at a time, and expects the check to say so.
//   node --test scripts/test/deploy/check-workflows.test.mjs
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { root as checkout } from '../../run/workspace.mjs';
import { examineWorkflows } from './workflows.examine.mjs';
import { readWorkflowTexts } from './workflows.read.mjs';

const root = mkdtempSync(join(tmpdir(), 'openchamber-workflows-'));
for (const path of ['.github/workflows', '.ci', 'package.json', 'scripts/release']) {
  cpSync(join(checkout, path), join(root, path), { recursive: true });
}
writeFileSync(join(root, 'Dockerfile.relay'), 'FROM scratch\nARG VERSION\nARG REVISION\n');
after(() => rmSync(root, { recursive: true, force: true }));

const texts = readWorkflowTexts(root);

async function faultsOf(changed) {
  return (await examineWorkflows(new Map([...texts, ...changed]), { root })).faults;
}

/** A fault for each entry: what is broken, in which file, how, and what the check says. */
function breaks(file, faults) {
  for (const [what, from, to, expected] of faults) {
    test(`${file}: ${what}`, async () => {
      const text = texts.get(file);
      const changed = text.replace(from, to);
      assert.notEqual(changed, text, 'the break changes nothing');
      const found = await faultsOf([[file, changed]]);
      assert.ok(
        found.some((fault) => expected.test(fault)),
        `expected ${expected}, got:\n${found.join('\n') || 'no fault'}`,
      );
    });
  }
}

test('the workflows as they are have no fault, and each is looked at', async () => {
  const { checked, faults } = await examineWorkflows(texts, { root });
  assert.deepEqual(faults, []);
  for (const name of ['ci.yml', 'relay-image.yml', 'release.yml', 'version.yml']) {
    assert.ok(checked.some((line) => line.startsWith(`${name}: `)));
  }
});

for (const file of texts.keys()) {
  breaks(file, [
    ['a tag instead of a commit', /checkout@[0-9a-f]{40}/, 'checkout@v7', /not pinned to a commit/],
    ['a shortened commit', /checkout@([0-9a-f]{39})[0-9a-f]/, 'checkout@$1', /not pinned to a commit/],
    ['another commit', /checkout@[0-9a-f]{40}/, `checkout@${'0'.repeat(40)}`, /not the commit in the table/],
    ['no version beside the commit', / # v7\.0\.1/, '', /lacks the comment "# v7\.0\.1"/],
    ['another version beside the commit', / # v7\.0\.1/, ' # v6.0.0', /lacks the comment "# v7\.0\.1"/],
    ['an unknown action', /actions\/checkout@/, 'actions/checkin@', /not in the table of actions/],
    ['no permissions', /\npermissions:\n {2}contents: read\n/, '\n', /declares no permissions/],
    [
      'a write at the top',
      /\npermissions:\n {2}contents: read/,
      '\npermissions:\n  contents: write',
      /top level grants/,
    ],
    [
      'all writes at the top',
      /\npermissions:\n {2}contents: read/,
      '\npermissions: write-all',
      /top level grants/,
    ],
    ['pull_request_target', /\non:\n/, '\non:\n  pull_request_target:\n', /triggered by pull_request_target/],
    ['workflow_run', /\non:\n/, '\non:\n  workflow_run: { workflows: [ci] }\n', /triggered by workflow_run/],
    [
      'no concurrency group',
      /\nconcurrency:\n {2}group: .*\n {2}cancel-in-progress: .*\n/,
      '\n',
      /concurrency group/,
    ],
    ['a job without timeout', /\n {4}timeout-minutes: \d+/, '', /has no timeout/],
    [
      'a checkout that keeps credentials by default',
      / {10}persist-credentials: (true|false)\n/,
      '          show-progress: false\n',
      /does not say persist-credentials/,
    ],
    [
      'a step that may fail',
      / {6}- uses: actions\/setup-node/,
      '      - continue-on-error: true\n        uses: actions/setup-node',
      /goes on after an error/,
    ],
    ['YAML that cannot be read', /\njobs:\n/, '\njobs:\njobs:\n', /unique/i],
    [
      'a runner that does not exist',
      /runs-on: ubuntu-latest|runner: ubuntu-latest|\[ubuntu-latest/,
      (found) => found.replace('ubuntu', 'ubunto'),
      /actionlint runner-label/,
    ],
    [
      'an unknown key of a job',
      /\n {4}timeout-minutes: /,
      '\n    timeout: 5\n    timeout-minutes: ',
      /actionlint syntax-check/,
    ],
  ]);
}

breaks('ci.yml', [
  [
    'another command than .ci/run',
    /run: \.ci\/run/,
    'run: npm run check',
    /does not run \.ci\/run on ubuntu-latest/,
  ],
  ['no macOS', /, macos-latest\]/, ']', /does not run \.ci\/run on macos-latest/],
  ['no arm64', /, ubuntu-24\.04-arm,/, ',', /does not run \.ci\/run on ubuntu-24\.04-arm/],
  [
    'tests only sometimes',
    / {6}- run: \.ci\/run/,
    "      - if: github.actor != 'me'\n        run: .ci/run",
    /does not run \.ci\/run/,
  ],
  ['no pull requests', / {2}pull_request:\n/, '', /does not run on pull_request/],
  ['a script that package.json lacks', /run: \.ci\/run/, 'run: npm run tests', /no script tests/],
  ['a file that is not there', /image-plan\.mjs/, 'image-plans.mjs', /image-plans\.mjs does not exist/],
  [
    'the title of a pull request in a command',
    /run: \.ci\/run/,
    'run: echo "${{ github.event.pull_request.title }}"',
    /has an expression in it/,
  ],
  [
    'the branch of a pull request in a command',
    /run: \.ci\/run/,
    'run: .ci/run ${{ github.head_ref }}',
    /has an expression in it/,
  ],
  ['a shell program', /run: \.ci\/run/, 'run: .ci/run && curl example.org | sh', /not one of the commands/],
  [
    'a Dockerfile that is not there',
    /file: Dockerfile\.relay/,
    'file: Dockerfile',
    /Dockerfile does not exist/,
  ],
  ['a build argument that the Dockerfile lacks', /VERSION=/, 'RELEASE=', /has no ARG RELEASE/],
  [
    'a permission that is not needed',
    /security-events: write/,
    'security-events: write\n      packages: write',
    /may write packages/,
  ],
  ['a permission that is missing', / {6}security-events: write\n/, '', /needs to write security-events/],
  [
    'a variable that the script does not read',
    /MODE: build-only/,
    'MODE: build-only\n          MOOD: good',
    /does not read MOOD/,
  ],
  ['a variable that the script lacks', / {10}MODE: build-only\n/, '', /needs MODE/],
  ['an output that the script lacks', /outputs\.version/, 'outputs.verison', /has no output verison/],
]);

breaks('relay-image.yml', [
  [
    'an input in a command',
    /run: node scripts\/release\/image-plan\.mjs/,
    'run: echo ${{ inputs.mode }}',
    /has an expression in it/,
  ],
  [
    'an image that is not tried out',
    / {6}- name: Try it out\n {8}run: .*\n {8}env:\n.*\n.*\n/,
    '',
    /not tried out/,
  ],
  ['an image that is pushed at once', /push: false/, 'push: true', /not tried out/],
  ['a push in build-only mode', /id: push\n {8}if: .*\n/, 'id: push\n', /although it may only build/],
  ['no provenance', / {10}provenance: mode=max\n/, '', /without provenance/],
  ['no SBOM', /sbom: true/, 'sbom: false', /without SBOM/],
  ['a tag before all builds are done', /push-by-digest=true,/, '', /tag before all builds/],
  ['tags that wait for no build', /needs: \[plan, build\]/, 'needs: plan', /do not wait for all builds/],
  ['one architecture only', / {10}- architecture: arm64\n.*\n/, '', /builds for amd64, not for amd64, arm64/],
  [
    'a cache',
    /- uses: docker\/setup-buildx-action/,
    `- uses: actions/cache@55cc8345863c7cc4c66a329aec7e433d2d1c52a9 # v6.1.0\n        with: { path: x, key: y }\n      - uses: docker/setup-buildx-action`,
    /uses a cache/,
  ],
  [
    'credentials that a job has no use for',
    /persist-credentials: false/,
    'persist-credentials: true',
    /no use for/,
  ],
]);

breaks('release.yml', [
  [
    'npm without an image',
    /needs: \[plan, package, image\]/,
    'needs: [plan, package]',
    /job npm does not wait for image/,
  ],
  [
    'an image without tests',
    /needs: \[plan, test, package\]/,
    'needs: [plan, package]',
    /job image does not wait for test/,
  ],
  ['an image that may be left out', /mode: publish/, 'mode: auto', /does not require a published image/],
  [
    'npm after a failure',
    / {4}environment: npm/,
    '    if: always()\n    environment: npm',
    /runs when something failed/,
  ],
  [
    'all secrets for the image',
    / {4}secrets:\n {6}DOCKERHUB_TOKEN: .*\n/,
    '    secrets: inherit\n',
    /hands on all secrets/,
  ],
  ['a called workflow that is not there', /relay-image\.yml/, 'image.yml', /image\.yml does not exist/],
  [
    'no check of the tag',
    / {8}run: node scripts\/release\/plan\.mjs\n/,
    '        run: node scripts/release/plans.mjs\n',
    /plans\.mjs does not exist/,
  ],
  ['a variable that a step lacks', / {10}SCOPE: .*\n/, '', /pack\.mjs needs SCOPE/],
  [
    'an output of a job that is not there',
    /needs\.image\.outputs\.reference/,
    'needs.image.outputs.references',
    /has no output references of relay-image\.yml/,
  ],
  [
    'an input that the image does not know',
    / {6}mode: publish/,
    '      moood: x\n      mode: publish',
    /input moood that is not asked for/,
  ],
  [
    'a version that the image is not told',
    / {6}version: \$\{\{ needs\.plan\.outputs\.version \}\}\n/,
    '',
    /does not give the input version/,
  ],
  [
    'a secret that the image does not know',
    / {6}DOCKERHUB_TOKEN: \$/,
    '      DOCKER_TOKEN: $',
    /secret DOCKER_TOKEN that is not asked for/,
  ],
  [
    'a call that may not sign',
    / {6}id-token: write\n {4}uses:/,
    '      packages: read\n    uses:',
    /does not let relay-image\.yml \(job publish\) write id-token/,
  ],
]);

breaks('version.yml', [
  [
    'a version script that is not there',
    /version: npm run version/,
    'version: npm run versions',
    /no script versions/,
  ],
  [
    'more than it needs',
    /pull-requests: write/,
    'pull-requests: write\n      actions: write',
    /may write actions/,
  ],
]);

test('a workflow that is gone, and no workflow at all, are faults', async () => {
  const without = (name) => new Map([...texts].filter(([file]) => file !== name));
  for (const name of ['ci.yml', 'relay-image.yml', 'release.yml']) {
    const { faults } = await examineWorkflows(without(name), { root });
    assert.ok(faults.includes(`there is no ${name}`), name);
  }
  const { faults } = await examineWorkflows(new Map(), { root });
  assert.ok(faults.includes('there is no workflow'));
});

test('CI is compared with what .ci/run really runs', async () => {
  const elsewhere = join(root, 'elsewhere');
  mkdirSync(elsewhere);
  for (const path of ['package.json', 'scripts', 'Dockerfile.relay', '.github']) {
    cpSync(join(root, path), join(elsewhere, path), { recursive: true });
  }
  mkdirSync(join(elsewhere, '.ci'));
  writeFileSync(join(elsewhere, '.ci', 'run'), '#!/bin/sh\necho fine\n');
  const { faults } = await examineWorkflows(texts, { root: elsewhere });
  assert.deepEqual(faults, ['.ci/run does not end in the test command of the README']);
});
