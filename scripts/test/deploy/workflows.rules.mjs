// Rules for every workflow. Each takes a parsed workflow (and where the repository is) and lists what is wrong.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ACTIONS, COMMANDS, WRITES } from './workflows.tables.mjs';
import { outputsOf } from './workflows.outputs.mjs';
import { triggersOf } from './workflows.read.mjs';

/** All of them, by name. */
export const rules = {
  'actions are pinned': pinnedActions,
  'permissions are the least': permissions,
  'triggers are safe': triggers,
  'commands are known and there': commands,
  'nothing is pasted into a command': expressions,
  'variables of commands are given': variables,
  'outputs of commands exist': outputs,
  'jobs end and do not overlap': bounds,
  'credentials stay where they are needed': credentials,
  'a failure fails': failures,
  'images are built from what is there': imageFiles,
};

function pinnedActions({ uses }, { root }) {
  return uses.flatMap(({ value, comment, line }) => {
    const where = `line ${line}: ${value}`;
    if (value.startsWith('./')) {
      return existsSync(join(root, value)) ? [] : [`${where} does not exist`];
    }
    const [, action, ref] = /^([^@]+)@(.*)$/.exec(value) ?? [];
    if (!/^[0-9a-f]{40}$/.test(ref ?? '')) {
      return [`${where} is not pinned to a commit`];
    }
    const known = ACTIONS[action];
    if (known === undefined) {
      return [`${where} is not in the table of actions`];
    }
    return [
      ...(ref === known.hash ? [] : [`${where} is not the commit in the table of actions (${known.hash})`]),
      ...(comment === known.version ? [] : [`${where} lacks the comment "# ${known.version}"`]),
    ];
  });
}

function permissions({ name, data, jobs }) {
  const top = data.permissions;
  if (top === undefined) {
    return ['the top level declares no permissions, so every job gets the default of the repository'];
  }
  const expected = WRITES[name] ?? {};
  const gone = Object.keys(expected).filter((id) => !jobs.some((job) => job.id === id));
  return [
    ...(isGrant(top) && writesOf(top).length === 0 ? [] : ['the top level grants more than reading']),
    ...gone.map((id) => `there is no job ${id}, but the table of permissions has it`),
    ...jobs.flatMap((job) => jobPermissions(job, expected[job.id] ?? [])),
  ];
}

function jobPermissions({ id, permissions: granted }, allowed) {
  if (granted !== undefined && !isGrant(granted)) {
    return [`job ${id}: permissions are not listed one by one`];
  }
  const writes = writesOf(granted ?? {});
  return [
    ...writes
      .filter((scope) => !allowed.includes(scope))
      .map((scope) => `job ${id} may write ${scope}, which it does not need`),
    ...allowed
      .filter((scope) => !writes.includes(scope))
      .map((scope) => `job ${id} needs to write ${scope} and may not`),
  ];
}

function isGrant(value) {
  return typeof value === 'object' && value !== null;
}

function writesOf(granted) {
  return Object.entries(granted).flatMap(([scope, access]) =>
    ['read', 'none'].includes(access) ? [] : [scope],
  );
}

// Both run with the rights of the repository on what a stranger has sent.
function triggers(workflow) {
  return triggersOf(workflow)
    .filter((trigger) => ['pull_request_target', 'workflow_run'].includes(trigger))
    .map((trigger) => `it is triggered by ${trigger}`);
}

function commands({ steps }, { root }) {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const given = steps.flatMap(({ job, step }) => [
    ...(step.run === undefined ? [] : [{ job, command: step.run }]),
    // The action runs this one.
    ...(step.with?.version?.startsWith('npm ') ? [{ job, command: step.with.version }] : []),
  ]);
  return given.flatMap(({ job, command }) => {
    const where = `job ${job.id}: ${JSON.stringify(command)}`;
    const found = matchCommand(command);
    if (found === undefined) {
      return [`${where} is not one of the commands a workflow may run`];
    }
    if (found.file !== undefined && !existsSync(join(root, found.file))) {
      return [`${where}: ${found.file} does not exist`];
    }
    return found.npmScript === undefined || scripts[found.npmScript] !== undefined
      ? []
      : [`${where}: package.json has no script ${found.npmScript}`];
  });
}

/** What a command names: `{ file }` or `{ npmScript }`, or undefined for a command that is not allowed. */
function matchCommand(command) {
  for (const { pattern, file, npmScript } of COMMANDS) {
    const match = pattern.exec(command.trim());
    if (match !== null) {
      return { file: file?.(match), npmScript: npmScript?.(match) };
    }
  }
  return undefined;
}

// GitHub pastes expressions into the text of a command before a shell reads it; variables it does not.
function expressions({ steps }) {
  return steps
    .filter(({ step }) => step.run?.includes('${{'))
    .map(({ job, step }) => `job ${job.id}: ${JSON.stringify(step.run)} has an expression in it; use env`);
}

function variables({ data, steps }, { root }) {
  return steps.flatMap(({ job, step }) => {
    const source = scriptSource(step, root);
    const given = { ...data.env, ...job.env, ...step.env };
    const wanted = [...source.matchAll(/(?:required|flag)\('(\w+)'\)/g)].map(([, name]) => name);
    // GitHub sets GITHUB_… itself.
    const missing = wanted.filter((name) => !name.startsWith('GITHUB_') && given[name] === undefined);
    const read = new Set([
      ...wanted,
      ...[...source.matchAll(/process\.env\.(\w+)/g)].map(([, name]) => name),
    ]);
    const unread = Object.keys(step.env ?? {}).filter((name) => !read.has(name) && !TOOL_VARIABLES.has(name));
    return [
      ...missing.map((name) => `job ${job.id}: ${step.run} needs ${name}`),
      ...(source === '' ? [] : unread.map((name) => `job ${job.id}: ${step.run} does not read ${name}`)),
    ];
  });
}

// Read by npm and gh, not by the scripts that start them.
const TOOL_VARIABLES = new Set(['NODE_AUTH_TOKEN', 'GH_TOKEN']);

/** Scripts list their outputs in their first lines: `// Outputs: one, two.` Their tests hold them to it. */
function outputs({ jobs, text }, { root }) {
  const perJob = jobs.map((job) => ({
    job,
    ids: new Map((job.steps ?? []).filter(({ id }) => id).map((step) => [step.id, step])),
    wanted: [...JSON.stringify(job).matchAll(/steps\.([\w-]+)\.outputs\.([\w-]+)/g)],
  }));
  const faults = perJob.flatMap(({ job, ids, wanted }) =>
    wanted.flatMap(([, id, output]) => {
      const step = ids.get(id);
      if (step?.run === undefined) {
        return step === undefined ? [`job ${job.id}: there is no step ${id}`] : [];
      }
      return outputsOf(scriptSource(step, root)).includes(output)
        ? []
        : [`job ${job.id}: ${step.run} has no output ${output}`];
    }),
  );
  return text === '' ? ['it is empty'] : faults;
}

function scriptSource(step, root) {
  const file = step.run === undefined ? undefined : matchCommand(step.run)?.file;
  return file?.endsWith('.mjs') && existsSync(join(root, file)) ? readFileSync(join(root, file), 'utf8') : '';
}

function bounds({ data, jobs }) {
  const timeless = jobs.filter((job) => job.uses === undefined && !(job['timeout-minutes'] > 0));
  return [
    ...(data.concurrency?.group ? [] : ['it has no concurrency group']),
    ...timeless.map(({ id }) => `job ${id} has no timeout`),
  ];
}

function credentials({ jobs, steps, name }) {
  const checkouts = steps.filter(({ step }) => step.uses?.startsWith('actions/checkout@'));
  const inherited = jobs.filter(({ secrets }) => secrets === 'inherit');
  // A cache is written by other runs; what is published is made of nothing but the commit and the lock file.
  const cached = steps.filter(({ step }) => publishes(name) && step.uses?.startsWith('actions/cache'));
  return [
    ...checkouts.flatMap(({ job, step }) => checkoutFaults(job, step.with?.['persist-credentials'])),
    ...inherited.map(({ id }) => `job ${id} hands on all secrets`),
    ...cached.map(({ job }) => `job ${job.id} uses a cache in a workflow that publishes`),
  ];
}

function checkoutFaults({ id, permissions: granted }, persists) {
  if (persists === undefined) {
    return [`job ${id}: a checkout does not say persist-credentials`];
  }
  return persists !== false && granted?.contents !== 'write'
    ? [`job ${id}: a checkout keeps credentials that the job has no use for`]
    : [];
}

function publishes(name) {
  return ['release.yml', 'relay-image.yml'].includes(name);
}

function failures({ jobs, steps }) {
  const places = [
    ...jobs.map((job) => ({ where: `job ${job.id}`, ...pick(job) })),
    ...steps.map(({ job, index, step }) => ({ where: `job ${job.id}, step ${index + 1}`, ...pick(step) })),
  ];
  return places.flatMap(({ where, goesOn, condition }) => [
    ...(goesOn ? [`${where} goes on after an error`] : []),
    ...(/always\(\)|failure\(\)|cancelled\(\)/.test(condition)
      ? [`${where} runs when something failed before`]
      : []),
  ]);
}

function pick(place) {
  return { goesOn: place['continue-on-error'], condition: String(place.if ?? '') };
}

function imageFiles({ steps }, { root }) {
  const builds = steps.filter(({ step }) => step.uses?.startsWith('docker/build-push-action@'));
  return builds.flatMap(({ job, step }) => {
    const file = step.with?.file ?? 'Dockerfile';
    if (!existsSync(join(root, file))) {
      return [`job ${job.id}: ${file} does not exist`];
    }
    const declared = [...readFileSync(join(root, file), 'utf8').matchAll(/^ARG\s+(\w+)/gm)].map(
      ([, name]) => name,
    );
    const given = String(step.with?.['build-args'] ?? '').matchAll(/^\s*(\w+)=/gm);
    return [...given]
      .filter(([, name]) => !declared.includes(name))
      .map(([, name]) => `job ${job.id}: ${file} has no ARG ${name}`);
  });
}
