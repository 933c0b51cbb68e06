// The examples in the READMEs of the libraries: compiled against what is installed, by a stranger's strict TypeScript.
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { root, tool } from '../../run/workspace.mjs';
import { ReleaseFault } from '../release-fault.mjs';
import { runTool } from '../step.mjs';

const OPTIONS = [
  '--strict',
  '--exactOptionalPropertyTypes',
  '--skipLibCheck',
  'false',
  '--noEmit',
  '--target',
  'es2022',
];

/** Where an example may run. */
const PLATFORMS = {
  node: ['--module', 'nodenext', '--lib', 'es2024', '--types', 'node'],
  browser: ['--module', 'preserve', '--lib', 'es2024,dom,dom.iterable'],
};

/** Throws a ReleaseFault with what the compiler says. A library without an example is a fault. */
export function checkReadmes({ folder, packages }) {
  const libraries = packages.filter(({ manifest }) => 'exports' in manifest);
  if (libraries.length === 0) return;
  // The stranger has installed the types of Node.js.
  symlinkSync(join(root, 'node_modules', '@types'), join(folder, 'node_modules', '@types'));
  const examples = libraries.flatMap((library) =>
    writeExamples(library, folder).map((file) => ({ file, manifest: library.manifest })),
  );
  const compile = (platform, files) => {
    const { code, output } = runTool(tool('tsc'), [...OPTIONS, ...PLATFORMS[platform], ...files], {
      cwd: folder,
    });
    if (code !== 0) throw new ReleaseFault(`The examples of the READMEs (${platform}):\n${output}`);
  };
  compile(
    'node',
    examples.map(({ file }) => file),
  );
  const forBrowsers = examples.filter(({ manifest }) => isForBrowsers(manifest)).map(({ file }) => file);
  if (forBrowsers.length > 0) compile('browser', forBrowsers);
}

function writeExamples({ name, folder: place }, folder) {
  const readme = readFileSync(join(place, 'README.md'), 'utf8');
  const examples = [...readme.matchAll(/^```ts\n(.*?)^```$/gms)];
  if (examples.length === 0) throw new ReleaseFault(`${name}: its README has no example.`);
  return examples.map(([, text], index) => {
    const file = join(folder, `${basename(name)}-example-${index}.ts`);
    writeFileSync(file, text);
    return file;
  });
}

/** Whoever has something of its own for Node.js has another thing for browsers. */
function isForBrowsers({ imports }) {
  return imports !== undefined;
}
