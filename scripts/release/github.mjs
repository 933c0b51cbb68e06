// The text of a GitHub release, and the commands of `gh` that bring it there.

/** The notes, and below them what operators pin. */
export function releaseText({ notes, image, packages }) {
  const rows = packages.map(
    ({ release, integrity }) => `| npm package | \`${release}\` (\`${integrity}\`) |\n`,
  );
  return `${notes.trimEnd()}

## What to pin

| what | exactly |
|---|---|
| image (amd64, arm64) | \`${image}\` |
${rows.join('')}`;
}

/** Argument lists for `gh`, in order. */
export function releaseCommands({ tag, title, notesFile, tarballs, prerelease, latest, exists }) {
  const text = ['--title', title, '--notes-file', notesFile];
  const rank = [`--prerelease=${prerelease}`, `--latest=${latest}`];
  return exists
    ? [
        ['release', 'edit', tag, ...text, ...rank],
        ['release', 'upload', tag, ...tarballs, '--clobber'],
      ]
    : [['release', 'create', tag, ...tarballs, '--verify-tag', ...text, ...rank]];
}
