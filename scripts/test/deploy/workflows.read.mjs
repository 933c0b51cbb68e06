// Reads workflows as YAML 1.2, keeping what the rules need of comments and places.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LineCounter, parseDocument, visit } from 'yaml';

/** The text of every workflow under a root, by file name. */
export function readWorkflowTexts(root) {
  const folder = join(root, '.github', 'workflows');
  const names = readdirSync(folder).filter((name) => /\.ya?ml$/.test(name));
  return new Map(names.sort().map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
}

/** A workflow: its data, its jobs and steps as lists, every `uses` with comment and line, and what YAML says is wrong. */
export function parseWorkflow(name, text) {
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter, uniqueKeys: true });
  const faults = [...document.errors, ...document.warnings].map(({ message }) => message.split('\n')[0]);
  const data = faults.length === 0 ? document.toJS() : {};
  const jobs = Object.entries(data?.jobs ?? {}).map(([id, job]) => ({ id, ...job }));
  return {
    name,
    text,
    data: data ?? {},
    faults: jobs.length === 0 && faults.length === 0 ? ['it has no jobs'] : faults,
    jobs,
    steps: jobs.flatMap((job) => (job.steps ?? []).map((step, index) => ({ job, index, step }))),
    uses: usesOf(document, lineCounter),
  };
}

function usesOf(document, lineCounter) {
  const found = [];
  visit(document, {
    Pair(_, { key, value }) {
      if (key?.value === 'uses') {
        const { line } = lineCounter.linePos(value.range[0]);
        found.push({ value: String(value.value), comment: (value.comment ?? '').trim(), line });
      }
    },
  });
  return found;
}

/** The triggers of a workflow, however they are written. */
export function triggersOf({ data }) {
  const { on } = data;
  if (typeof on === 'string') {
    return [on];
  }
  return Array.isArray(on) ? on : Object.keys(on ?? {});
}

/** The ids of all jobs that must have passed before one starts. */
export function ancestorsOf(id, jobs) {
  const job = jobs.find((candidate) => candidate.id === id);
  const direct = [job?.needs ?? []].flat();
  return new Set(direct.flatMap((parent) => [parent, ...ancestorsOf(parent, jobs)]));
}
