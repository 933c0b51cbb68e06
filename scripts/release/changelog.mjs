// CHANGELOG.md: one for the whole workspace, newest version first, a `## <version>` heading for each.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../run/workspace.mjs';
import { ReleaseFault } from './release-fault.mjs';
import { parseVersion } from './version.mjs';

/** The changelog of the workspace. */
export const changelogFile = join(root, 'CHANGELOG.md');

/** What the changelog says about a version, without the heading; a fault when it says nothing. */
export function releaseNotes(version, changelog = readFileSync(changelogFile, 'utf8')) {
  const { found, body } = sectionOf(version, changelog);
  if (!found || body === '') {
    throw new ReleaseFault(`CHANGELOG.md says nothing about ${version}.`);
  }
  return `${body}\n`;
}

/** The changelog with a new version on top; the text before the first version stays where it is. */
export function addVersion(version, body, changelog) {
  if (sectionOf(version, changelog).found) {
    throw new ReleaseFault(`CHANGELOG.md has an entry for ${version} already.`);
  }
  const lines = changelog.split('\n');
  const first = lines.findIndex((line) => versionOfHeading(line) !== undefined);
  const at = first < 0 ? lines.length : first;
  const above = lines.slice(0, at).join('\n').trimEnd();
  const below = lines.slice(at).join('\n').trimEnd();
  const parts = [above, `## ${version}\n\n${body.trim()}`, below].filter((part) => part !== '');
  return `${parts.join('\n\n')}\n`;
}

const KINDS = [
  { kind: 'major', title: 'Changes that need your attention' },
  { kind: 'minor', title: 'New' },
  { kind: 'patch', title: 'Fixed and improved' },
];

/** The body of an entry from `[{ summary, kind }]`, the weightiest kind first. */
export function formatChanges(changes) {
  return KINDS.flatMap(({ kind, title }) => {
    const items = changes.filter((change) => change.kind === kind).map(({ summary }) => asItem(summary));
    return items.length === 0 ? [] : [`### ${title}\n\n${items.join('\n')}`];
  }).join('\n\n');
}

function asItem(summary) {
  const [first, ...rest] = summary.trim().split('\n');
  return [`- ${first}`, ...rest.map((line) => (line === '' ? '' : `  ${line}`))].join('\n');
}

function sectionOf(version, changelog) {
  const lines = changelog.split('\n');
  const start = lines.findIndex((line) => versionOfHeading(line) === version);
  if (start < 0) {
    return { found: false, body: '' };
  }
  const length = lines.slice(start + 1).findIndex((line) => versionOfHeading(line) !== undefined);
  const end = length < 0 ? lines.length : start + 1 + length;
  return {
    found: true,
    body: lines
      .slice(start + 1, end)
      .join('\n')
      .trim(),
  };
}

function versionOfHeading(line) {
  const text = /^## (\S+)\s*$/.exec(line)?.[1];
  return text !== undefined && parseVersion(text) ? text : undefined;
}
