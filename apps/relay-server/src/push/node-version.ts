/** The first Node.js that has `node:sqlite` without a flag. */
const OLDEST = { major: 22, minor: 13 };

/** One line about why push cannot run on a version of Node.js (`process.versions.node`); undefined when it can. */
export function describeOldNode(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isOld = major < OLDEST.major || (major === OLDEST.major && minor < OLDEST.minor);
  return isOld
    ? `Push needs Node.js ${OLDEST.major}.${OLDEST.minor} or newer, which has node:sqlite; this is ${version}`
    : undefined;
}
