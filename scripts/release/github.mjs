// The text of a GitHub release, and the commands of `gh` that bring it there.

/** The notes, and below them what operators pin. */
export function releaseText({ notes, image, npm }) {
  return `${notes.trimEnd()}

## What to pin

| what | exactly |
|---|---|
| image (amd64, arm64) | \`${image}\` |
| npm package | \`${npm.release}\` (\`${npm.integrity}\`) |
`;
}

/** Argument lists for `gh`, in order. */
export function releaseCommands({ tag, title, notesFile, tarball, prerelease, latest, exists }) {
  const text = ['--title', title, '--notes-file', notesFile];
  const rank = [`--prerelease=${prerelease}`, `--latest=${latest}`];
  return exists
    ? [
        ['release', 'edit', tag, ...text, ...rank],
        ['release', 'upload', tag, tarball, '--clobber'],
      ]
    : [['release', 'create', tag, tarball, '--verify-tag', ...text, ...rank]];
}
