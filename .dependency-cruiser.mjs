// Which way dependencies may point. One direction only: protocol, wire <- daemon <- relay, push <- apps and
// protocol <- tunnel <- host, client <- apps; testkit is for tests.
const SOURCE = '^packages/[^/]+/src/|^apps/[^/]+/src/';

/** Forbids `from` anything of the workspace but the packages in `allowed`. */
function only(name, from, allowed) {
  const others = allowed.length === 0 ? {} : { pathNot: `^packages/(?:${allowed.join('|')})/` };
  return {
    name,
    severity: 'error',
    comment: `${name}: see ARCHITECTURE.md`,
    from: { path: `^${from}/src/` },
    to: { path: '^packages/|^apps/|^bench/|^examples/', ...withOwn(others, from) },
  };
}

function withOwn(others, from) {
  return { pathNot: [`^${from}/src/`, ...(others.pathNot === undefined ? [] : [others.pathNot])] };
}

export default {
  forbidden: [
    only('protocol-imports-no-package', 'packages/protocol', []),
    only('wire-imports-no-package', 'packages/wire', []),
    only('daemon-imports-protocol-and-wire', 'packages/daemon', ['protocol', 'wire']),
    only('relay-imports-daemon-and-below', 'packages/relay', ['protocol', 'wire', 'daemon']),
    only('push-imports-protocol-and-daemon', 'packages/push', ['protocol', 'daemon']),
    only('tunnel-imports-protocol', 'packages/tunnel', ['protocol']),
    only('host-imports-tunnel-and-below', 'packages/host', ['protocol', 'tunnel']),
    only('client-imports-tunnel-and-below', 'packages/client', ['protocol', 'tunnel']),
    only('tunnel-command-imports-the-sdks', 'apps/tunnel', ['protocol', 'tunnel', 'host', 'client']),
    only('apps-import-the-daemons', 'apps/relay-server', ['relay', 'push', 'daemon', 'protocol']),
    only('testkit-imports-protocol', 'packages/testkit', ['protocol']),
    {
      name: 'protocol-is-isomorphic',
      severity: 'error',
      comment: 'packages/protocol runs in browsers too: nothing of Node, nothing from npm',
      from: { path: '^packages/protocol/src/' },
      to: { dependencyTypesNot: ['local', 'localmodule', 'type-only'] },
    },
    {
      name: 'tunnel-is-isomorphic',
      severity: 'error',
      comment: 'packages/tunnel runs in browsers too: nothing of Node but behind /node, nothing from npm',
      from: { path: '^packages/tunnel/src/', pathNot: '^packages/tunnel/src/node/' },
      to: { dependencyTypes: ['core', 'npm', 'npm-optional', 'npm-peer'], pathNot: '^packages/protocol/' },
    },
    {
      name: 'tunnel-node-brings-nothing-from-npm',
      severity: 'error',
      comment: 'packages/tunnel takes a WebSocket that somebody else has made',
      from: { path: '^packages/tunnel/src/node/' },
      to: { dependencyTypes: ['npm', 'npm-optional', 'npm-peer'], pathNot: '^packages/protocol/' },
    },
    {
      name: 'tunnel-main-entry-is-isomorphic',
      severity: 'error',
      comment: 'what browsers load must not reach what only Node has',
      from: { path: '^packages/tunnel/src/', pathNot: '^packages/tunnel/src/node/' },
      to: { path: '^packages/tunnel/src/node/' },
    },
    {
      name: 'testkit-is-for-tests',
      severity: 'error',
      comment: 'only tests and benchmarks may use test doubles',
      from: { path: SOURCE, pathNot: '^packages/testkit/' },
      to: { path: '^packages/testkit/' },
    },
    {
      name: 'source-does-not-import-tests',
      severity: 'error',
      from: { path: SOURCE },
      to: { path: '/test/|[.]test[.]ts$|^bench/|^scripts/' },
    },
    {
      name: 'packages-are-entered-by-their-name',
      severity: 'error',
      comment: 'a relative path into another package goes around its list of exports',
      from: { path: '^packages/([^/]+)/|^apps/([^/]+)/' },
      to: { path: '^packages/([^/]+)/src/(?!(?:options/|node/)?index[.]ts$)', pathNot: '^packages/$1/' },
    },
    {
      name: 'no-cycles',
      severity: 'error',
      comment: 'type-only imports are erased and may close a circle: a context names what it holds',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'no-orphans',
      severity: 'error',
      comment: 'nobody imports it and it imports nobody',
      from: { orphan: true, path: SOURCE },
      to: {},
    },
    { name: 'not-unresolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
    {
      name: 'no-dev-dependencies-in-source',
      severity: 'error',
      comment: 'what is published must bring all it needs',
      from: { path: SOURCE, pathNot: '^packages/testkit/' },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'], pathNot: '^packages/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)(dist|vectors|results)/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.tests.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['@openchambery/source', 'import', 'node', 'default', 'types'],
    },
  },
};
