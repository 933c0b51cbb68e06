// The Compose files, read the way Compose reads them: it cannot run here. What their containers get is what the check of
// the image then runs.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import assert from 'node:assert/strict';
import { root } from '../../run/workspace.mjs';
import { exampleFaults } from './compose.example.mjs';
import { FAULTS } from './compose.faults.mjs';
import { composeFileNames, PROMISES, readProject } from './compose.files.mjs';
import { parseProject, resolveProject } from './compose.project.mjs';
import { RULES } from './compose.rules.mjs';
import { readComposeSettings } from './compose.settings.mjs';
import { createTally } from './tally.mjs';

const EXAMPLE = 'deploy/compose/env.example';

/** Resolves to `{ passed, failed, skipped }`. */
export async function checkCompose() {
  const tally = createTally();
  const settings = readComposeSettings();
  await tally.test('something is promised about every Compose file', () => {
    assert.deepEqual(composeFileNames().sort(), Object.keys(PROMISES).sort());
  });
  for (const name of Object.keys(PROMISES)) {
    const subject = subjectOf(readProject(name), settings);
    for (const rule of RULES) {
      await tally.test(`${name} ${rule.name}`, () => assert.deepEqual(rule.find(subject), []));
    }
  }
  await tally.test(`${EXAMPLE} names what is read, and true defaults`, () => {
    assert.deepEqual(exampleFaultsOf(readFileSync(join(root, EXAMPLE), 'utf8'), settings), []);
  });
  for (const fault of FAULTS) {
    await tally.test(`a copy of ${fault.file} ${fault.name}: noticed`, () => notice(fault, settings));
  }
  return tally.counts();
}

function subjectOf(file, settings) {
  const promise = PROMISES[file.name];
  return { file, promise, project: resolveProject(file, promise.required), settings, root };
}

function exampleFaultsOf(text, settings) {
  const names = Object.keys(PROMISES);
  const texts = names.map((name) => readFileSync(join(root, name), 'utf8'));
  const required = new Set(names.flatMap((name) => Object.keys(PROMISES[name].required)));
  return exampleFaults(text, { texts, settings, required });
}

/** A broken copy must be refused, and for the reason that it was broken. */
function notice({ file, find, replace, expect }, settings) {
  const text = readFileSync(join(root, file), 'utf8');
  const broken = text.replace(find, replace);
  assert.notEqual(broken, text, 'the copy is not broken at all');
  const faults = file === EXAMPLE ? exampleFaultsOf(broken, settings) : faultsOf(file, { broken, settings });
  assert.ok(
    faults.some((fault) => expect.test(fault)),
    `expected ${expect}, got:\n${faults.join('\n') || 'nothing'}`,
  );
}

function faultsOf(file, { broken, settings }) {
  let subject;
  try {
    subject = subjectOf(parseProject(file, broken), settings);
  } catch (error) {
    return [error.message];
  }
  // The other rules may rely on the shape.
  const [schema, ...others] = RULES;
  const misshapen = schema.find(subject);
  return misshapen.length > 0 ? misshapen : others.flatMap((rule) => rule.find(subject));
}
