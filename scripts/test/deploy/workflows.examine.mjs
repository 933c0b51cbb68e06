// Puts every rule to every workflow.
import { lintWorkflow } from './workflows.actionlint.mjs';
import { promises } from './workflows.promises.mjs';
import { parseWorkflow } from './workflows.read.mjs';
import { rules } from './workflows.rules.mjs';

/** From texts by file name to `{ checked, faults }`: lines that say what was looked at, and what is wrong. */
export async function examineWorkflows(texts, { root }) {
  const workflows = new Map([...texts].map(([name, text]) => [name, parseWorkflow(name, text)]));
  const faults = texts.size === 0 ? ['there is no workflow'] : [];
  for (const [name, workflow] of workflows) {
    const found = [...workflow.faults, ...(await lintWorkflow(name, workflow.text))];
    const ours = Object.values(rules).flatMap((rule) => rule(workflow, { root }));
    faults.push(...[...found, ...ours].map((fault) => `${name}: ${fault}`));
  }
  for (const promise of Object.values(promises)) {
    faults.push(...promise(workflows, { root }));
  }
  return { checked: [...[...workflows.values()].map(describe), ...names()], faults };
}

function describe({ name, jobs, steps, uses }) {
  const commands = steps.filter(({ step }) => step.run !== undefined).length;
  return `${name}: ${jobs.length} jobs, ${uses.length} actions, ${commands} commands, actionlint`;
}

function names() {
  return [...Object.keys(rules), ...Object.keys(promises)].map((name) => `  rule: ${name}`);
}
