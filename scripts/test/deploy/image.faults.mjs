// Images that must not pass, made from lists of a good one.

const FILE = { uid: 0, gid: 0, mode: 0o644, isFile: true, size: 1 };

export const CONTENT_FAULTS = [
  { name: 'with a source map', expect: /source map/, spoil: plant('opt/openchamber/dist/chunks/a.js.map') },
  { name: 'with types', expect: /TypeScript/, spoil: plant('opt/openchamber/node_modules/hono/index.d.ts') },
  { name: 'with tests', expect: /is a test/, spoil: plant('opt/openchamber/node_modules/pino/test/a.js') },
  { name: 'with a key', expect: /own/, spoil: plant('opt/openchamber/AuthKey_ABC.p8') },
  { name: 'with npm', expect: /installer/, spoil: plant('usr/local/bin/npm') },
  {
    name: 'with our packages',
    expect: /workspace/,
    spoil: plant('opt/openchamber/node_modules/@openchambery/push/a.js'),
  },
  {
    name: "that is node's own",
    expect: /changed by others/,
    spoil: own('opt/openchamber/dist/push-worker.js', { uid: 1000 }),
  },
  {
    name: 'that anybody may write to',
    expect: /changed by others/,
    spoil: own('opt/openchamber/healthcheck.mjs', { mode: 0o666 }),
  },
  { name: 'with a /data for all', expect: /\/data/, spoil: own('data', { mode: 0o777 }) },
  { name: "with root's /data", expect: /\/data/, spoil: own('data', { uid: 0 }) },
  {
    name: 'without a command in PATH',
    expect: /not in PATH/,
    spoil: own('usr/local/bin/openchamber-push-relay', { target: '/nowhere' }),
  },
  {
    name: 'with a command that cannot be run',
    expect: /cannot be run/,
    spoil: own('opt/openchamber/bin/openchamber-relay.js', { mode: 0o644 }),
  },
  {
    name: 'with a development package',
    expect: /not needed/,
    spoil: ({ modules }) => ({ modules: { ...modules, vitest: { version: '5.1.2' } } }),
  },
  {
    name: 'without a dependency',
    expect: /jose is missing/,
    spoil: ({ modules: { jose: _jose, ...modules } }) => ({ modules }),
  },
  {
    name: 'with another version than locked',
    expect: /not in the lock/,
    spoil: ({ modules }) => ({ modules: { ...modules, pino: { ...modules.pino, version: '0.0.1' } } }),
  },
  { name: 'that runs as root', expect: /User/, spoil: configure({ User: '' }) },
  {
    name: 'with a shell before the command',
    expect: /Entrypoint/,
    spoil: configure({ Entrypoint: ['sh', '-c', 'openchamber-relay'] }),
  },
  {
    name: 'with something of Apple',
    expect: /image sets/,
    spoil: ({ config }) => ({
      config: { ...config, Env: [...config.Env, 'OPENCHAMBER_PUSH_RELAY_APNS_KEY_ID=1'] },
    }),
  },
  { name: 'that listens to itself only', expect: /does not set/, spoil: configure({ Env: [] }) },
  { name: 'of another version', expect: /label for the version/, spoil: configure({ Labels: {} }) },
  { name: 'without a health check', expect: /health check/, spoil: configure({ Healthcheck: undefined }) },
];

function plant(path) {
  return ({ contents }) => ({ contents: [...contents, { ...FILE, path }] });
}

function own(path, change) {
  return ({ contents }) => ({
    contents: contents.map((entry) => (entry.path === path ? { ...entry, ...change } : entry)),
  });
}

function configure(change) {
  return ({ config }) => ({ config: { ...config, ...change } });
}
