// What certain workflows promise: that CI runs what contributors run, that nothing untried is published.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ARCHITECTURES } from '../../release/image.mjs';
import { ancestorsOf, triggersOf } from './workflows.read.mjs';
import { TEST_RUNNERS } from './workflows.tables.mjs';

/** By name; each takes all workflows by file name and lists what is wrong. */
export const promises = {
  'ci.yml runs what .ci/run runs': ciRunsTheTests,
  'an image is tried out before it is pushed': imageIsTriedOut,
  'a failed test or image blocks the release': releaseWaits,
  'called workflows fit their calls': callsFit,
};

function ciRunsTheTests(workflows, { root }) {
  const ci = workflows.get('ci.yml');
  if (ci === undefined) {
    return ['there is no ci.yml'];
  }
  const file = join(root, '.ci', 'run');
  const script = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const running = ci.steps.filter(({ job, step }) => step.run === '.ci/run' && !step.if && !job.if);
  const runners = new Set(running.flatMap(({ job }) => runnersOf(job)));
  return [
    ...(/^exec npm test$/m.test(script) ? [] : ['.ci/run does not end in the test command of the README']),
    ...TEST_RUNNERS.filter((runner) => !runners.has(runner)).map(
      (runner) => `ci.yml does not run .ci/run on ${runner}`,
    ),
    ...['push', 'pull_request']
      .filter((trigger) => !triggersOf(ci).includes(trigger))
      .map((trigger) => `ci.yml does not run on ${trigger}`),
  ];
}

function runnersOf(job) {
  const matrix = job.strategy?.matrix ?? {};
  const named = /^\$\{\{ matrix\.(\w+) \}\}$/.exec(job['runs-on'])?.[1];
  return named === undefined
    ? [job['runs-on']]
    : [...(matrix[named] ?? []), ...(matrix.include ?? []).map((entry) => entry[named])];
}

function imageIsTriedOut(workflows) {
  const image = workflows.get('relay-image.yml');
  if (image === undefined) {
    return ['there is no relay-image.yml'];
  }
  const pushing = image.jobs.filter((job) => (job.steps ?? []).some(pushes));
  const build = image.jobs.find(({ id }) => id === 'build');
  const built = (build?.strategy?.matrix?.include ?? []).map(({ architecture }) => architecture).sort();
  return [
    ...(pushing.length > 0 ? [] : ['relay-image.yml: no job pushes an image']),
    ...pushing.flatMap(pushFaults),
    ...(built.join(' ') === ARCHITECTURES.join(' ')
      ? []
      : [`relay-image.yml builds for ${built.join(', ') || 'nothing'}, not for ${ARCHITECTURES.join(', ')}`]),
    ...(ancestorsOf('publish', image.jobs).has('build')
      ? []
      : ['relay-image.yml: tags do not wait for all builds']),
  ];
}

function pushFaults({ id, steps }) {
  const tried = steps.findIndex(({ run }) => run === 'node scripts/release/smoke-image.mjs');
  return steps.flatMap((step, index) => {
    if (!pushes(step)) {
      return [];
    }
    const { provenance, sbom, outputs = '' } = step.with;
    return [
      ...(tried >= 0 && tried < index && !steps[tried].if
        ? []
        : [`job ${id} pushes an image that was not tried out`]),
      ...(/publish == 'true'/.test(step.if ?? '') ? [] : [`job ${id} pushes although it may only build`]),
      ...(outputs.includes('push-by-digest=true')
        ? []
        : [`job ${id} pushes a tag before all builds are done`]),
      ...(provenance === 'mode=max' ? [] : [`job ${id} pushes an image without provenance`]),
      ...(sbom === true ? [] : [`job ${id} pushes an image without SBOM`]),
    ];
  });
}

function pushes({ uses, with: inputs }) {
  return (
    uses?.startsWith('docker/build-push-action@') &&
    (inputs?.push === true || /(^|,)push=true/.test(inputs?.outputs ?? ''))
  );
}

function releaseWaits(workflows) {
  const release = workflows.get('release.yml');
  if (release === undefined) {
    return ['there is no release.yml'];
  }
  const { jobs } = release;
  const image = jobs.find(({ uses }) => uses === './.github/workflows/relay-image.yml');
  const tests = jobs.filter(({ steps }) => steps?.some(({ run }) => run === '.ci/run'));
  const publishing = jobs.filter(({ steps }) => steps?.some(({ run }) => PUBLISHING.has(run)));
  const before = [image?.id ?? 'image', ...(tests.length > 0 ? tests.map(({ id }) => id) : ['test'])];
  return [
    ...(image?.with?.mode === 'publish' ? [] : ['release.yml does not require a published image']),
    ...(publishing.length === PUBLISHING.size
      ? []
      : ['release.yml does not publish package and release in a job each']),
    ...publishing.flatMap(({ id }) => missing(id, before, jobs)),
    ...missing(image?.id, before.slice(1), jobs),
  ];
}

const PUBLISHING = new Set(['node scripts/release/publish.mjs', 'node scripts/release/github-release.mjs']);

function missing(id, wanted, jobs) {
  const ancestors = ancestorsOf(id, jobs);
  return wanted
    .filter((job) => !ancestors.has(job))
    .map((job) => `release.yml: job ${id} does not wait for ${job}`);
}

// GitHub refuses the whole run when a call does not fit, and this is seen only when a tag is pushed.
function callsFit(workflows) {
  return [...workflows.values()].flatMap((caller) =>
    caller.jobs
      .filter(({ uses }) => uses?.startsWith(CALLED))
      .flatMap((job) => {
        const called = workflows.get(job.uses.slice(CALLED.length));
        const where = `${caller.name}: job ${job.id}`;
        return called === undefined
          ? []
          : callFaults({ caller, job, called }).map((fault) => `${where} ${fault}`);
      }),
  );
}

const CALLED = './.github/workflows/';

function callFaults({ caller, job, called }) {
  const contract = called.data.on?.workflow_call;
  if (contract === undefined) {
    return [`calls ${called.name}, which cannot be called`];
  }
  const { inputs = {}, secrets = {}, outputs = {} } = contract ?? {};
  const wanted = JSON.stringify(caller.data).matchAll(
    new RegExp(`needs\\.${job.id}\\.outputs\\.([\\w-]+)`, 'g'),
  );
  return [
    ...given('input', job.with, inputs),
    ...given('secret', job.secrets, secrets),
    ...[...wanted]
      .filter(([, name]) => outputs[name] === undefined)
      .map(([, name]) => `has no output ${name} of ${called.name}`),
    ...grantFaults(job, called),
  ];
}

function given(kind, values = {}, declared) {
  const unknown = Object.keys(values).filter((name) => declared[name] === undefined);
  const required = Object.keys(declared).filter(
    (name) => declared[name].required && values[name] === undefined,
  );
  return [
    ...unknown.map((name) => `gives a ${kind} ${name} that is not asked for`),
    ...required.map((name) => `does not give the ${kind} ${name}`),
  ];
}

function grantFaults(job, called) {
  return called.jobs.flatMap(({ id, permissions = {} }) =>
    Object.entries(permissions)
      .filter(([scope, access]) => access === 'write' && job.permissions?.[scope] !== 'write')
      .map(([scope]) => `does not let ${called.name} (job ${id}) write ${scope}`),
  );
}
