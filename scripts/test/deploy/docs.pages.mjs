// Which pages there are, and what of the repository they may name.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { DEPLOYMENT_VARIABLES } from '../../docs/other-variables.mjs';
import { readSettings, variableNames } from '../../docs/read-settings.mjs';
import { workspaceFolders } from '../../run/workspace.mjs';
import { parsePage } from './docs.markdown.mjs';

/** Not for people who run or use the relay: what they show need not be run. */
const OTHER_PAGES = ['ARCHITECTURE.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md', 'bench/README.md'];
/** Where the names in capitals come from: code and configuration, never the pages or their checks. */
const CODE = /\.(?:[cm]?js|ts|ya?ml|json|cfg|conf|caddyfile|service|socket|relay)$/;
const NOT_CODE = /(?:^|\/)(?:node_modules|dist|results|vectors|data)(?:\/|$)|\/docs\.[a-z.]+$|pnpm-lock/;
const CAPITALS = /\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b/g;

/** README.md and all of docs/, then the rest; as parsePage has them, and whether their commands have to run. */
export function readPages(root) {
  const documentation = ['README.md', ...filesBelow(root, 'docs').filter((path) => path.endsWith('.md'))];
  const others = OTHER_PAGES.filter((path) => existsSync(join(root, path)));
  return [...documentation, ...others].map((path) => ({
    ...parsePage(path, readFileSync(join(root, path), 'utf8')),
    isDocumentation: documentation.includes(path),
  }));
}

/** Everything that a page may name. */
export function readWorld(root) {
  const settings = readSettings();
  const { relay, push, tunnel, switches } = settings;
  const code = readdirSync(root).flatMap((entry) => filesBelow(root, entry).filter(isCode));
  const capitals = code.flatMap((path) => readFileSync(join(root, path), 'utf8').match(CAPITALS) ?? []);
  const tails = [relay, push].flatMap(({ prefix, settings: each }) =>
    each.map(({ variable }) => variable.slice(prefix.length)),
  );
  const flagsOf = (table) => [
    ...table.settings.flatMap(({ flag }) => (flag === undefined ? [] : [flag, flag.replace('--', '--no-')])),
    ...switches.map(({ flag }) => flag),
  ];
  const manifests = workspaceFolders().map((folder) => readJson(join(folder, 'package.json')));
  return {
    root,
    variables: variableNames(settings),
    capitals: new Set([...capitals, ...tails]),
    flags: { 'openchamber-relay': flagsOf(relay), 'openchamber-push-relay': flagsOf(push) },
    tunnelFlags: tunnelFlags(tunnel),
    errorCodes: readErrorCodes(root),
    scripts: Object.keys(readJson(join(root, 'package.json')).scripts),
    composeVariables: readdirSync(root)
      .filter((entry) => /^docker-compose.*[.]ya?ml$/.test(entry))
      .flatMap((entry) => readFileSync(join(root, entry), 'utf8').match(/(?<=\$\{)[A-Z0-9_]+/g) ?? []),
    deploymentVariables: DEPLOYMENT_VARIABLES.map(({ name }) => name),
    packages: [...manifests.map(({ name }) => name), '@openchambery/source'],
    folders: readdirSync(root).filter(
      (entry) => entry !== '.git' && statSync(join(root, entry)).isDirectory(),
    ),
  };
}

/** What each command of openchamber-tunnel takes, by its word. */
function tunnelFlags({ commands, switches }) {
  const common = switches.map(({ flag }) => flag);
  return Object.fromEntries(
    commands.map(({ name, options }) => [name, [...common, ...options.map(({ flag }) => flag)]]),
  );
}

/** The codes of the errors that the libraries throw. */
function readErrorCodes(root) {
  const sources = filesBelow(root, 'packages').filter(
    (path) => /^packages\/[^/]+\/src\/.*\.ts$/.test(path) && !path.startsWith('packages/testkit/'),
  );
  const found = sources.flatMap(
    (path) =>
      readFileSync(join(root, path), 'utf8').match(/(?<=')ERR_(?:RELAY|PUSH|HOST|TUNNEL)_[A-Z_]+(?=')/g) ??
      [],
  );
  return [...new Set(found)];
}

function isCode(path) {
  return CODE.test(path) && !NOT_CODE.test(path);
}

function readJson(file) {
  return JSON.parse(readFileSync(file, 'utf8'));
}

function filesBelow(root, path) {
  if (NOT_CODE.test(path) || path === '.git') return [];
  const full = join(root, path);
  if (!statSync(full).isDirectory()) return [path];
  return readdirSync(full).flatMap((entry) => filesBelow(root, relative(root, join(full, entry))));
}
