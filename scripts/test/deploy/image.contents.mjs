// What may be in the image, and what must be. Rules are about plain lists, so that broken copies of them can be tried too.
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

const APP = 'opt/openchamber';
const NODE_UID = 1000;
const COMMANDS = ['openchamber-relay', 'openchamber-push-relay'];

/** Everything under the folders that the Dockerfile fills: `{ path, uid, gid, mode, isFile, target? }`. */
export function listContents(rootfs) {
  const inApp = readdirSync(join(rootfs, APP), { recursive: true }).map((path) => join(APP, path));
  const bin = readdirSync(join(rootfs, 'usr/local/bin')).map((name) => join('usr/local/bin', name));
  return [...inApp, ...bin, ...readdirSync(rootfs)].map((path) => {
    const stat = lstatSync(join(rootfs, path));
    const { uid, gid, mode } = stat;
    const target = stat.isSymbolicLink() ? readlinkSync(join(rootfs, path)) : undefined;
    return { path, uid, gid, mode: mode & 0o7777, isFile: stat.isFile(), size: stat.size, target };
  });
}

/** The manifests in the image's node_modules by folder name: `{ name: { version, dependencies, … } }`. */
export function readModules(rootfs, contents) {
  const manifest = /^opt\/openchamber\/node_modules\/((?:@[^/]+\/)?[^/]+)\/package\.json$/;
  return Object.fromEntries(
    contents.flatMap(({ path }) => {
      const name = manifest.exec(path)?.[1];
      return name ? [[name, JSON.parse(readFileSync(join(rootfs, path), 'utf8'))]] : [];
    }),
  );
}

const UNWANTED = [
  [/\.map$/, 'a source map'],
  [/\.[mc]?ts$|\.tsbuildinfo$/, 'TypeScript'],
  [/(^|\/)(tests?|__tests__)\/|\.(test|spec)\.[mc]?js$/, 'a test'],
  [/\.(p8|pem|key|sqlite)$|(^|\/)\.(env|npmrc)/, 'somebody’s own'],
  [/^usr\/local\/bin\/(npm|npx|yarn|yarnpkg|corepack|pnpm)$/, 'an installer'],
  [/^(build|out)$/, 'of the build'],
  [/(^|\/)@openchambery\//, 'a package of the workspace'],
];

/** Files that have no business in there, and owners that let a daemon change its own code. */
export function contentFaults(contents) {
  const byPath = new Map(contents.map((entry) => [entry.path, entry]));
  const data = byPath.get('data');
  return [
    ...contents.flatMap(({ path }) =>
      UNWANTED.filter(([pattern]) => pattern.test(path)).map(([, what]) => `${path} is ${what}`),
    ),
    ...contents
      .filter(({ path }) => path.startsWith('opt/') || path.startsWith('usr/'))
      .filter(({ uid, mode, target }) => uid !== 0 || (target === undefined && (mode & 0o022) !== 0))
      .map(({ path }) => `${path} can be changed by others than root`),
    ...(data?.uid === NODE_UID && data.gid === NODE_UID && data.mode === 0o700
      ? []
      : ["/data is not node's alone"]),
    ...COMMANDS.filter(
      (name) => byPath.get(`usr/local/bin/${name}`)?.target !== `/${APP}/bin/${name}.js`,
    ).map((name) => `${name} is not in PATH`),
    ...COMMANDS.filter((name) => ((byPath.get(`${APP}/bin/${name}.js`)?.mode ?? 0) & 0o111) !== 0o111).map(
      (name) => `${name} cannot be run`,
    ),
    ...['LICENSE', 'healthcheck.mjs', 'dist/push-worker.js']
      .filter((name) => !byPath.get(join(APP, name))?.isFile)
      .map((name) => `${name} is missing`),
  ];
}

/**
 * What is installed is what the package needs at run time, all of it and nothing more, in the versions of the lock file.
 * `locked` has names as the lock file writes them: `pino@10.4.0`.
 */
export function moduleFaults({ manifest, modules, locked }) {
  const reached = new Set();
  const missing = [];
  const visit = (name, { isOptional }) => {
    if (reached.has(name)) return;
    const found = modules[name];
    if (found === undefined) {
      if (!isOptional) missing.push(`${name} is missing`);
      return;
    }
    reached.add(name);
    visitAll(found);
  };
  const visitAll = ({ dependencies = {}, optionalDependencies = {} }) => {
    // npm repeats optional ones among the dependencies of an installed package.
    const optional = Object.keys(optionalDependencies);
    for (const name of optional) visit(name, { isOptional: true });
    for (const name of Object.keys(dependencies)) visit(name, { isOptional: optional.includes(name) });
  };
  visitAll(manifest);
  return [
    ...missing,
    ...Object.keys(modules)
      .filter((name) => !reached.has(name))
      .map((name) => `${name} is installed and not needed`),
    ...Object.entries(modules)
      .filter(([name, { version }]) => !locked.has(`${name}@${version}`))
      .map(([name, { version }]) => `${name}@${version} is not in the lock file`),
  ];
}

/** The configuration (`.Docker.config` of the image) against what operators rely on. */
export function configFaults(config, { version, revision }) {
  const labels = config.Labels ?? {};
  const wanted = {
    User: 'node',
    Entrypoint: ['openchamber-relay'],
    ExposedPorts: { '8787/tcp': {}, '8788/tcp': {} },
    StopSignal: 'SIGTERM',
    WorkingDir: `/${APP}`,
  };
  const environment = [
    'NODE_ENV=production',
    'OPENCHAMBER_RELAY_SERVER_HOST=0.0.0.0',
    'OPENCHAMBER_PUSH_RELAY_HOST=0.0.0.0',
    'OPENCHAMBER_PUSH_RELAY_DATABASE_PATH=/data/push-relay.sqlite',
  ];
  return [
    ...Object.entries(wanted)
      .filter(([name, value]) => JSON.stringify(config[name]) !== JSON.stringify(value))
      .map(([name]) => `${name} is ${JSON.stringify(config[name])}`),
    ...environment
      .filter((entry) => !config.Env.includes(entry))
      .map((entry) => `the image does not set ${entry}`),
    ...config.Env.filter((entry) => /APNS|P8/.test(entry)).map((entry) => `the image sets ${entry}`),
    ...Object.entries({ version, revision })
      .filter(([name, value]) => labels[`org.opencontainers.image.${name}`] !== value)
      .map(([name]) => `the label for the ${name} is ${labels[`org.opencontainers.image.${name}`]}`),
    ...['title', 'description', 'licenses', 'base.name']
      .filter((name) => !labels[`org.opencontainers.image.${name}`])
      .map((name) => `there is no label ${name}`),
    ...(config.Healthcheck?.Test?.[0] === 'CMD' ? [] : ['there is no health check without a shell']),
  ];
}
