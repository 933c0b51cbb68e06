// Checks the types of what pages show in TypeScript: the `ts` blocks of a page, from top to bottom, are one module.
//
//   <!-- apart: another way to do the same -->      a module of its own
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '../../run/command.mjs';
import { tool } from '../../run/workspace.mjs';

const COMPILER_OPTIONS = {
  target: 'es2024',
  module: 'nodenext',
  customConditions: ['@openchambery/source'],
  strict: true,
  noEmit: true,
  skipLibCheck: true,
  allowImportingTsExtensions: true,
  moduleDetection: 'force',
};

/** What is known to a module; the two do not agree on what a stream is. */
const SURROUNDINGS = {
  browser: { lib: ['es2024', 'dom', 'dom.iterable', 'dom.asynciterable'], types: [] },
  node: { lib: ['es2024'], types: ['node'] },
};

/** Faults, each one line with page and place. */
export async function findTypeFaults(pages, root) {
  const modules = pages.filter(({ isDocumentation }) => isDocumentation).flatMap(modulesOf);
  const folder = mkdtempSync(join(tmpdir(), 'openchamber-docs-types-'));
  try {
    linkPackages(folder, root);
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    modules.forEach(({ text }, index) => writeFileSync(join(folder, `${index}.ts`), text));
    const kinds = Object.keys(SURROUNDINGS);
    return (await Promise.all(kinds.map((kind) => compile(folder, modules, kind)))).flat();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function compile(folder, modules, kind) {
  const files = modules.flatMap((module, index) => (module.kind === kind ? [`${index}.ts`] : []));
  if (files.length === 0) return [];
  const config = join(folder, `tsconfig.${kind}.json`);
  const compilerOptions = { ...COMPILER_OPTIONS, ...SURROUNDINGS[kind] };
  writeFileSync(config, JSON.stringify({ compilerOptions, files }));
  const { code, output } = await run(tool('tsc'), ['--pretty', 'false', '-p', config], { cwd: folder });
  if (code === 0) return [];
  return output
    .trimEnd()
    .split('\n')
    .map((line) => namePlace(line, modules));
}

function modulesOf({ path, fences }) {
  const blocks = fences.filter(({ language }) => language === 'ts');
  const apart = blocks.filter(({ directives }) => directives.has('apart')).map((block) => [block]);
  const together = blocks.filter(({ directives }) => !directives.has('apart'));
  return [together, ...apart]
    .filter((each) => each.length > 0)
    .map(placeLines)
    .map((text) => ({ path, text, kind: text.includes('@openchambery/client') ? 'browser' : 'node' }));
}

/** Lines stay where they are on the page, so that the compiler's places are those of the page. */
function placeLines(blocks) {
  const lines = [];
  for (const { text, line } of blocks) {
    text.split('\n').forEach((each, index) => {
      lines[line + index] = each;
    });
  }
  return `${Array.from(lines, (line) => line ?? '').join('\n')}\n`;
}

/** What a program in the workspace could import. */
function linkPackages(folder, root) {
  const scope = join(folder, 'node_modules', '@openchambery');
  mkdirSync(scope, { recursive: true });
  for (const name of readdirSync(join(root, 'packages'))) {
    symlinkSync(join(root, 'packages', name), join(scope, name));
  }
  symlinkSync(join(root, 'node_modules', '@types'), join(folder, 'node_modules', '@types'));
}

/** `3.ts(7,1): error …` as `docs/page.md:7: error …`. */
function namePlace(line, modules) {
  return line.replace(/^(\d+)\.ts\((\d+),\d+\)/, (_whole, index, at) => `${modules[index].path}:${at}`);
}
