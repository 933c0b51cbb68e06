// Packages that are not fit to publish, one fault at a time; that good ones pass is seen with the real ones.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { root } from '../../run/workspace.mjs';
import { checkContents } from '../try-out/contents.mjs';
import { nodeFor } from '../try-out/node.mjs';
import { checkReadmes } from '../try-out/readmes.mjs';

const scratch = mkdtempSync(join(tmpdir(), 'openchamber-try-out-'));
after(() => rmSync(scratch, { recursive: true, force: true }));

const NAME = '@openchambery/thing';
const GOOD = {
  'package.json': `{"name":"${NAME}","version":"1.0.0","type":"module","exports":{".":{"types":"./dist/index.d.ts","default":"./dist/index.js"}}}`,
  LICENSE: '',
  'README.md': `\`\`\`ts\nimport { answer } from '${NAME}';\nconst known: number = answer;\nconsole.log(known);\n\`\`\`\n`,
  'dist/index.js': "export { answer } from './answer.js';\n",
  'dist/answer.js': 'export const answer = 42;\n',
  'dist/index.d.ts': 'export declare const answer: number;\n',
};

/** An installation of one package with these files; undefined leaves one out. */
function install(changes) {
  const folder = mkdtempSync(join(scratch, 'case-'));
  const place = join(folder, 'node_modules', ...NAME.split('/'));
  const files = { ...GOOD, ...changes };
  for (const [name, text] of Object.entries(files).filter(([, content]) => content !== undefined)) {
    mkdirSync(dirname(join(place, name)), { recursive: true });
    writeFileSync(join(place, name), text);
  }
  writeFileSync(join(folder, 'package.json'), '{"private":true,"type":"module"}\n');
  const manifest = JSON.parse(files['package.json']);
  return { folder, packages: [{ name: NAME, folder: place, manifest }] };
}

/** What is wrong, by which files, and what is said about it. */
const FAULTS = new Map([
  ['sources', [{ 'src/index.ts': '' }, /index\.ts is TypeScript/]],
  ['a map', [{ 'dist/index.js.map': '{}' }, /index\.js\.map is of no use/]],
  ['the notes of the compiler', [{ 'dist/.tsbuildinfo': '' }, /tsbuildinfo is of no use/]],
  ['an import of TypeScript', [{ 'dist/index.js': "export * from './answer.ts';" }, /imports TypeScript/]],
  [
    'a late import of TypeScript',
    [{ 'dist/index.js': "await import('./answer.ts');" }, /imports TypeScript/],
  ],
  ['no README', [{ 'README.md': undefined }, /README\.md is missing/]],
  ['no licence', [{ LICENSE: undefined }, /LICENSE is missing/]],
  ['a second copy', [{ 'node_modules/@openchambery/other/package.json': '{}' }, /a second copy/]],
  ['a stowaway', [{ '../other/package.json': '{}' }, /@openchambery\/other came along/]],
  ['a range of the workspace', [{ 'package.json': '{"dependencies":{"x":"workspace:*"}}' }, /only pnpm/]],
  ['a range of the catalog', [{ 'package.json': '{"dependencies":{"x":"catalog:"}}' }, /only pnpm/]],
  ['our condition', [{ 'package.json': '{"exports":{"@openchambery/source":"./x"}}' }, /leads to sources/]],
]);

for (const [what, [changes, expected]] of FAULTS) {
  test(`${what} is found in a package`, () => {
    assert.throws(() => checkContents(install(changes), []), expected);
  });
}

test('a package without a fault passes, its README as well', () => {
  const installed = install({});
  checkContents(installed, []);
  checkReadmes(installed);
});

test('a README whose example does not fit the package, or that has none, is a fault', () => {
  const declared = { 'dist/index.d.ts': 'export declare const answer: string;\n' };
  assert.throws(() => checkReadmes(install(declared)), /not assignable to type 'number'/);
  assert.throws(() => checkReadmes(install({ 'README.md': 'None.\n' })), /README has no example/);
});

test('a tarball that publint finds fault with is not fit', () => {
  const file = join(scratch, 'thing.tgz');
  writeFileSync(file, 'no tarball');
  assert.throws(() => checkContents(install({}), [{ name: NAME, file }]), new RegExp(`${NAME}: `));
});

test('a package that asks for more than the Node.js at hand gets that of the workspace', () => {
  const inWorkspace = ({ node }) => node.startsWith(join(root, 'node_modules'));
  assert.ok(inWorkspace(nodeFor('>=999')));
  assert.ok(!inWorkspace(nodeFor('>=1')));
});
