// Every check of the deployment, in the order they run: a name, and `run` resolving to `{ passed, failed, skipped? }`.
// What a machine lacks is installed by the check itself in CI (as root, CI=true), or else skipped with the reason.
// Each is loaded when it runs: some need packages that only the set-up installs.

export const checks = [
  { name: 'workflows', run: async () => (await import('./workflows.mjs')).checkWorkflows() },
  { name: 'compose', run: async () => (await import('./compose.mjs')).checkCompose() },
  { name: 'image', run: async () => (await import('./image.mjs')).checkImage() },
  { name: 'proxies', run: async () => (await import('./proxies.mjs')).checkProxies() },
  { name: 'systemd', run: async () => (await import('./systemd.mjs')).checkSystemd() },
  { name: 'binary', run: async () => (await import('./binary.mjs')).checkBinary() },
  { name: 'docs', run: async () => (await import('./docs.mjs')).checkDocs() },
];
