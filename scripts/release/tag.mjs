// What a tag says: `v1.2.3` releases everything, `relay/v1.2.3` the relay alone.
import { ReleaseFault } from './release-fault.mjs';
import { compareReleased, isPrerelease, parseVersion } from './version.mjs';

const PREFIXES = [
  { prefix: 'relay/v', scope: 'relay' },
  { prefix: 'v', scope: 'all' },
];

/** `{ scope, version }` of a release tag, or undefined when it is not one. */
export function parseTag(tag) {
  const found = PREFIXES.find(({ prefix }) => tag.startsWith(prefix));
  const version = found && tag.slice(found.prefix.length);
  return found && parseVersion(version) ? { scope: found.scope, version } : undefined;
}

/** Checks a pushed tag against the version of the workspace. */
export function planRelease({ refType, refName, version }) {
  if (refType !== 'tag') {
    throw new ReleaseFault(`Releases are made from tags; ${refName} is a ${refType}.`);
  }
  const tag = parseTag(refName);
  if (tag === undefined) {
    throw new ReleaseFault(`The tag ${refName} is neither v<version> nor relay/v<version>.`);
  }
  if (tag.version !== version) {
    throw new ReleaseFault(
      `The tag ${refName} names version ${tag.version}, but the packages have ${version}. Tag the commit that has the version.`,
    );
  }
  return { scope: tag.scope, version, prerelease: isPrerelease(version) };
}

/** Whether `latest` may point to a version: no prerelease, and nothing newer was tagged. */
export function isLatest(version, tags) {
  if (isPrerelease(version)) {
    return false;
  }
  const released = tags.map((tag) => parseTag(tag)?.version).filter((other) => other && !isPrerelease(other));
  return released.every((other) => compareReleased(other, version) <= 0);
}
