// Versions: what one looks like, how two compare, and the one that all packages of the workspace share.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../run/workspace.mjs';
import { ReleaseFault } from './release-fault.mjs';

// Semantic Versioning 2.0.0, 2 and 9; without build metadata, because `+` is not allowed in the tag of an image.
const NUMBER = '(?:0|[1-9][0-9]*)';
const IDENTIFIER = `(?:${NUMBER}|[0-9]*[a-zA-Z-][0-9a-zA-Z-]*)`;
const VERSION = new RegExp(
  `^(${NUMBER})\\.(${NUMBER})\\.(${NUMBER})(?:-(${IDENTIFIER}(?:\\.${IDENTIFIER})*))?$`,
);

/** A version in its parts, or undefined when the text is not one. */
export function parseVersion(text) {
  const match = VERSION.exec(text);
  return match === null
    ? undefined
    : { numbers: match.slice(1, 4).map(Number), prerelease: match[4]?.split('.') ?? [] };
}

/** Whether a version is one to try out, not to run. */
export function isPrerelease(version) {
  return (parseVersion(version)?.prerelease.length ?? 0) > 0;
}

/** Negative, 0 or positive, by the order of Semantic Versioning for versions that are not prereleases. */
export function compareReleased(one, other) {
  const a = parseVersion(one).numbers;
  const b = parseVersion(other).numbers;
  return a[0] - b[0] || a[1] - b[1] || a[2] - b[2];
}

/** The version of every package in the workspace; a fault when they differ. */
export function workspaceVersion(folder = root) {
  const packages = versionedPackages(folder);
  const versions = new Set(packages.map(({ version }) => version));
  const [version, ...others] = versions;
  if (version === undefined || others.length > 0) {
    const list = packages.map((found) => `${found.name} ${found.version}`).join(', ');
    throw new ReleaseFault(`The packages of the workspace do not have one version: ${list || 'none found'}.`);
  }
  if (parseVersion(version) === undefined) {
    throw new ReleaseFault(`${version} is not a version.`);
  }
  return version;
}

/** Name, version and folder of every package that pnpm-workspace.yaml takes in. */
export function versionedPackages(folder = root) {
  return workspacePatterns(folder)
    .flatMap((pattern) => expand(folder, pattern))
    .filter((path) => existsSync(join(path, 'package.json')))
    .map((path) => {
      const { name, version } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'));
      return { name, version, folder: path };
    });
}

// Read by hand: a release is planned before anything is installed, so there is no YAML library yet.
function workspacePatterns(folder) {
  const lines = readFileSync(join(folder, 'pnpm-workspace.yaml'), 'utf8').split('\n');
  const from = lines.findIndex((line) => line.startsWith('packages:')) + 1;
  const length = lines.slice(from).findIndex((line) => !line.startsWith('  - '));
  return lines
    .slice(from, length < 0 ? undefined : from + length)
    .map((line) => line.slice('  - '.length).trim());
}

function expand(folder, pattern) {
  if (!pattern.endsWith('/*')) {
    return [join(folder, pattern)];
  }
  const parent = join(folder, pattern.slice(0, -2));
  return existsSync(parent) ? readdirSync(parent).map((name) => join(parent, name)) : [];
}
