// What package.json of a library says on npm, where there is no workspace.

/** Our own condition leads to the sources, which are not published. */
const SOURCE_CONDITION = '@openchambery/source';

/** From a manifest of the workspace; `versionOf` gives the version of an installed dependency. */
export function publishedManifest(manifest, versionOf) {
  const { devDependencies: _ours, scripts: _alsoOurs, ...rest } = manifest;
  const published = { ...rest, dependencies: publishedRanges(manifest.dependencies ?? {}, versionOf) };
  for (const field of ['exports', 'imports'].filter((name) => name in manifest)) {
    published[field] = withoutSources(manifest[field]);
  }
  return published;
}

/** Our packages are tried out together and fit no others; from npm comes what was tried out, or what npm says is as good. */
function publishedRanges(dependencies, versionOf) {
  const entries = Object.entries(dependencies);
  return Object.fromEntries(
    entries.map(([name, range]) => {
      if (range === 'workspace:*') return [name, versionOf(name)];
      return [name, range === 'catalog:' ? `^${versionOf(name)}` : range];
    }),
  );
}

function withoutSources(target) {
  if (typeof target !== 'object' || target === null) return target;
  const kept = Object.entries(target).filter(([condition]) => condition !== SOURCE_CONDITION);
  return Object.fromEntries(kept.map(([condition, value]) => [condition, withoutSources(value)]));
}
