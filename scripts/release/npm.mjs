// What npm says about a version, and which of npm's tags a new one gets.
import { ReleaseFault } from './release-fault.mjs';

/** `next` for prereleases, `maintenance` for a fix of an older version, or else `latest`. */
export function distTag({ prerelease, latest }) {
  if (prerelease) {
    return 'next';
  }
  return latest ? 'latest' : 'maintenance';
}

/**
 * From the result of `npm view <release> dist.integrity --json`: 'new' or 'published'. A fault when npm has other
 * bytes under this version (versions cannot be overwritten), or when the answer tells neither.
 */
export function judgePublished({ code, output, stdout }, { release, integrity }) {
  if (code !== 0) {
    if (/\bE404\b/.test(output)) {
      return 'new';
    }
    throw new ReleaseFault(`npm does not say whether ${release} exists:\n${output}`);
  }
  // An existing package without this version is an empty answer.
  const published = stdout.trim() === '' ? undefined : JSON.parse(stdout);
  if (published === undefined) {
    return 'new';
  }
  if (published !== integrity) {
    throw new ReleaseFault(`npm has another ${release} (${published}); raise the version.`);
  }
  return 'published';
}
