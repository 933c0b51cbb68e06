// What the workflows may use and may do. Everything that is not in these tables is a fault.

/** The actions, and the one commit of each that was looked at. */
export const ACTIONS = {
  'actions/checkout': pin('3d3c42e5aac5ba805825da76410c181273ba90b1', 'v7.0.1'),
  'actions/setup-node': pin('820762786026740c76f36085b0efc47a31fe5020', 'v7.0.0'),
  'actions/cache': pin('55cc8345863c7cc4c66a329aec7e433d2d1c52a9', 'v6.1.0'),
  'actions/upload-artifact': pin('043fb46d1a93c77aae656e7c1c64a875d1fc6a0a', 'v7.0.1'),
  'actions/download-artifact': pin('3e5f45b2cfb9172054b4087a40e8e0b5a5461e7c', 'v8.0.1'),
  'actions/dependency-review-action': pin('a1d282b36b6f3519aa1f3fc636f609c47dddb294', 'v5.0.0'),
  'docker/setup-buildx-action': pin('bb05f3f5519dd87d3ba754cc423b652a5edd6d2c', 'v4.2.0'),
  'docker/login-action': pin('dbcb813823bdd20940b903addbd779551569679f', 'v4.6.0'),
  'docker/build-push-action': pin('53b7df96c91f9c12dcc8a07bcb9ccacbed38856a', 'v7.3.0'),
  'github/codeql-action/init': pin('ff2f1c621b7f889edc0d3c761ac2e6a3f8cdb0dd', 'v4.37.7'),
  'github/codeql-action/analyze': pin('ff2f1c621b7f889edc0d3c761ac2e6a3f8cdb0dd', 'v4.37.7'),
  'changesets/action': pin('63a615b9cd06ba9a3e6d13796c7fbcb080a60a0b', 'v1'),
  'sigstore/cosign-installer': pin('6f9f17788090df1f26f669e9d70d6ae9567deba6', 'v4.1.2'),
};

/** The write permissions each job needs; every other job reads. */
export const WRITES = {
  'ci.yml': { codeql: ['security-events'] },
  'relay-image.yml': { publish: ['id-token'] },
  'release.yml': { image: ['id-token'], npm: ['id-token'], github: ['contents'] },
  'version.yml': { 'pull-request': ['contents', 'pull-requests'] },
};

/** The systems on which CI runs the test command. */
export const TEST_RUNNERS = ['ubuntu-latest', 'ubuntu-24.04-arm', 'macos-latest'];

/** What a step may run, one command each: no shell program hides in a workflow, where nothing can test it. */
export const COMMANDS = [
  { pattern: /^\.ci\/run$/, file: () => '.ci/run' },
  { pattern: /^npm (test)$/, npmScript: ([, name]) => name },
  { pattern: /^npm run ([\w:-]+)$/, npmScript: ([, name]) => name },
  { pattern: /^node (scripts\/release\/[\w-]+\.mjs)$/, file: ([, path]) => path },
];

function pin(hash, version) {
  return { hash, version };
}
