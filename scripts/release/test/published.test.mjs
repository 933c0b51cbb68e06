// What is published, and what its manifests say.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { publishedFolders } from '../published.mjs';
import { publishedManifest } from '../published-manifest.mjs';

function manifestOf(folder) {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}

test('every package comes after those of ours that it needs', () => {
  const manifests = publishedFolders('all').map(manifestOf);
  for (const [
    index,
    { name, private: isPrivate, dependencies, optionalDependencies },
  ] of manifests.entries()) {
    const earlier = manifests.slice(0, index).map((manifest) => manifest.name);
    const needed = Object.entries({ ...dependencies, ...optionalDependencies })
      .filter(([, range]) => range.startsWith('workspace:'))
      .map(([wanted]) => wanted);
    assert.deepEqual(
      needed.filter((wanted) => !earlier.includes(wanted)),
      [],
      name,
    );
    assert.notEqual(isPrivate, true, name);
  }
});

test('a release of the relay alone publishes nothing else', () => {
  const names = publishedFolders('relay').map((folder) => manifestOf(folder).name);
  assert.deepEqual(names, ['@openchambery/relay-server']);
});

test('the manifest of a library says what a user needs, and keeps its order', () => {
  const manifest = {
    name: 'a',
    imports: { '#x': { node: { '@openchambery/source': './src/x.ts', default: './dist/x.js' } } },
    exports: {
      '.': {
        '@openchambery/source': './src/index.ts',
        types: './dist/index.d.ts',
        default: './dist/index.js',
      },
      './v/*.json': './v/*.json',
    },
    scripts: { size: 'node size.mjs' },
    dependencies: { ours: 'workspace:*', theirs: 'catalog:', pinned: '1.2.3' },
    devDependencies: { tests: 'catalog:' },
  };
  const published = publishedManifest(manifest, () => '4.5.6');
  assert.equal(
    JSON.stringify(published),
    JSON.stringify({
      name: 'a',
      imports: { '#x': { node: { default: './dist/x.js' } } },
      exports: {
        '.': { types: './dist/index.d.ts', default: './dist/index.js' },
        './v/*.json': './v/*.json',
      },
      dependencies: { ours: '4.5.6', theirs: '^4.5.6', pinned: '1.2.3' },
    }),
  );
  assert.deepEqual(
    publishedManifest({ name: 'b' }, () => '1.0.0'),
    { name: 'b', dependencies: {} },
  );
});
