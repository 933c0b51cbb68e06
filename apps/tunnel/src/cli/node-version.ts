/** The first Node.js whose WebCrypto, fetch and streams the tunnel is tested with. */
const OLDEST_MAJOR = 22;

/** One line about why a version of Node.js (`process.versions.node`) does not do; `undefined` when it does. */
export function describeOldNode(nodeVersion: string): string | undefined {
  return Number(nodeVersion.split('.')[0]) < OLDEST_MAJOR
    ? `openchamber-tunnel needs Node.js ${OLDEST_MAJOR} or newer; this is ${nodeVersion}`
    : undefined;
}
