// What must be true of every page without running anything: links lead somewhere, and what is named exists.
import { createPublicKey, verify } from 'node:crypto';
import { existsSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { parse as parseYaml } from 'yaml';

const RULES = [
  checkLinks,
  checkFences,
  checkVariables,
  checkCapitals,
  checkPaths,
  checkCommands,
  checkSignatures,
];
/** At the root of the repository; anything else is named with its folder. */
const ROOT_FILE = /^(?:docker-compose[\w.-]*\.ya?ml|Dockerfile\.[\w-]+|[A-Z]+\.md)$/;
/** Made by building or running, and not in a fresh checkout. */
const MADE = /(?:^|\/)(?:node_modules|dist|data)(?:\/|$)/;
const LANGUAGES = new Set('sh text json yaml ts js mermaid caddyfile nginx haproxy ini toml'.split(' '));
/** How a block that is run may be marked: see docs.commands.mjs. */
export const DIRECTIVES = new Set(['not run', 'stays', 'prints', 'needs', 'fails', 'first']);

/** Faults, each one line with page and place. */
export function examinePages(pages, world) {
  const context = { ...world, pages: new Map(pages.map((page) => [page.path, page])) };
  const faults = pages.flatMap((page) =>
    RULES.flatMap((rule) => rule(page, context).map(({ line, what }) => `${page.path}:${line}: ${what}`)),
  );
  return [...faults, ...findUnreachable(context), ...compareCompose(context), ...findUntoldErrors(context)];
}

/** Whoever meets an error of a library finds it on the page of errors. */
function findUntoldErrors({ pages, errorCodes }) {
  const page = pages.get('docs/errors.md');
  const told = new Set(page.codes.map(({ text }) => text));
  return errorCodes.filter((code) => !told.has(code)).map((code) => `${page.path}:1: does not have ${code}`);
}

/** The page of configuration lists what the Compose files read, no more and no less. */
function compareCompose({ variables, composeVariables, deploymentVariables }) {
  const untold = [...new Set(composeVariables)].filter((name) => !variables.has(name));
  const unread = deploymentVariables.filter((name) => !composeVariables.includes(name));
  return [
    ...untold.map((name) => `docs/configuration.md:1: does not have ${name}, which a Compose file reads`),
    ...unread.map((name) => `docs/configuration.md:1: has ${name}, which no Compose file reads`),
  ];
}

function checkLinks(page, { root, pages }) {
  return page.links.flatMap(({ target, line }) => {
    if (/^[a-z][a-z+.-]*:/.test(target)) return [];
    const [path, anchor] = target.split('#');
    const file = path === '' ? page.path : resolveLink(page.path, path);
    if (!existsSync(join(root, file)) && !pages.has(file)) return [{ line, what: `${target} leads nowhere` }];
    if (anchor === undefined || pages.get(file) === undefined) return [];
    return pages.get(file).anchors.has(anchor) ? [] : [{ line, what: `${file} has no heading #${anchor}` }];
  });
}

function resolveLink(from, path) {
  return normalize(join(dirname(from), path)).replace(/\/$/, '');
}

function checkFences({ fences, isDocumentation }) {
  return fences.flatMap(({ language, text, line, directives }) => {
    const fault = (what) => [{ line, what }];
    if (isDocumentation && !LANGUAGES.has(language))
      return fault(`a block of kind "${language}": what is run must be "sh"`);
    if (language === 'json') return canParse(() => JSON.parse(text)) ? [] : fault('JSON that does not parse');
    if (language === 'yaml') return canParse(() => parseYaml(text)) ? [] : fault('YAML that does not parse');
    if (language !== 'sh' || !isDocumentation) return [];
    const unknown = [...directives.keys()].find((key) => !DIRECTIVES.has(key));
    if (unknown !== undefined) return fault(`a block cannot be marked "${unknown}"`);
    const empty = [...directives].find(([, value]) => value === '');
    return empty === undefined ? [] : fault(`"${empty[0]}" needs a reason or a text`);
  });
}

function canParse(parse) {
  try {
    parse();
    return true;
  } catch {
    return false;
  }
}

/** A name that ends in `_` stands for all that begin so. */
function checkVariables(page, { variables }) {
  return matches(page.text, /OPENCHAMBER_[A-Z0-9_]*[A-Z0-9_]/g).flatMap(({ match: [name], line }) => {
    const exists = name.endsWith('_')
      ? [...variables].some((known) => known.startsWith(name))
      : variables.has(name);
    return exists ? [] : [{ line, what: `there is no variable ${name}` }];
  });
}

function checkCapitals({ codes }, { capitals, variables }) {
  return codes
    .filter(({ text }) => /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/.test(text))
    .filter(({ text }) => !capitals.has(text) && !variables.has(text))
    .map(({ text, line }) => ({ line, what: `nothing is called ${text}` }));
}

function checkPaths({ codes, fences }, { root, folders }) {
  const shell = fences
    .filter(({ language }) => language === 'sh')
    .flatMap(({ text, line }) => text.split(/[\s'"=<>():;]+/).map((word) => ({ text: word, line })));
  return [...codes, ...shell]
    .filter(({ text }) => /^[\w.@*/-]+$/.test(text))
    .filter(
      ({ text }) => ROOT_FILE.test(text) || (text.includes('/') && folders.includes(text.split('/')[0])),
    )
    .filter(({ text }) => !MADE.test(text))
    .filter(({ text }) => !existsSync(join(root, certainPart(text))))
    .map(({ text, line }) => ({ line, what: `there is no file ${text}` }));
}

/** Of a pattern, the folder before its first star. */
function certainPart(path) {
  return path.includes('*') ? dirname(`${path.split('*')[0]}_`) : path;
}

function checkCommands({ text }, { scripts, flags, tunnelFlags, packages }) {
  const missing = matches(text, /npm run (?:--silent )?(?<name>[a-z][\w:-]*)/g)
    .filter(({ match }) => !scripts.includes(match.groups.name))
    .map(({ match, line }) => ({ line, what: `there is no "npm run ${match.groups.name}"` }));
  const wrongFlags = matches(
    text,
    /(?<command>npm start --|(?:npx|exec|^|`) ?openchamber-(?:push-)?relay)(?<rest>[^\n`|&;]*)/gm,
  ).flatMap(({ match, line }) => {
    const command = match.groups.command.includes('push') ? 'openchamber-push-relay' : 'openchamber-relay';
    const used = match.groups.rest.match(/(?<=\s)--[a-z-]+/g) ?? [];
    const unknown = used.filter((flag) => !flags[command].includes(flag));
    return unknown.map((flag) => ({ line, what: `${command} has no flag ${flag}` }));
  });
  const wrongTunnelFlags = matches(text, /openchamber-tunnel (?<word>[a-z]+)(?<rest>[^\n`|&;]*)/g).flatMap(
    ({ match: { groups }, line }) => {
      const known = tunnelFlags[groups.word] ?? [];
      const used = groups.rest.match(/(?<=\s)--[a-z-]+/g) ?? [];
      const unknown = used.filter((flag) => !known.includes(flag));
      return unknown.map((flag) => ({ line, what: `openchamber-tunnel ${groups.word} has no flag ${flag}` }));
    },
  );
  const wrongPackages = matches(text, /@openchambery\/[a-z-]+/g)
    .filter(({ match: [name] }) => !packages.includes(name))
    .map(({ match: [name], line }) => ({ line, what: `there is no package ${name}` }));
  return [...missing, ...wrongFlags, ...wrongTunnelFlags, ...wrongPackages];
}

/** A page that no link leads to is not read. */
function findUnreachable({ pages }) {
  const reached = new Set();
  const visit = (path) => {
    const page = pages.get(path);
    if (page === undefined || reached.has(path)) return;
    reached.add(path);
    for (const { target } of page.links) {
      const file = resolveLink(path, target.split('#')[0]);
      visit(file);
      visit(join(file, 'README.md'));
    }
  };
  visit('README.md');
  return [...pages.values()]
    .filter(({ path, isDocumentation }) => isDocumentation && !reached.has(path))
    .map(({ path }) => `${path}:1: no link from README.md leads here`);
}

function matches(text, pattern) {
  return [...text.matchAll(pattern)].map((match) => ({
    match,
    line: text.slice(0, match.index).split('\n').length,
  }));
}

/** A signed example follows the text that was signed, and verifies. */
function checkSignatures({ fences }) {
  return fences.flatMap(({ language, text, line }, index) => {
    if (language !== 'json' || !text.includes('"sig"')) return [];
    if (!canParse(() => JSON.parse(text))) return [];
    const { publicKeyJwk, sig } = JSON.parse(text);
    const key = createPublicKey({ key: publicKeyJwk, format: 'jwk' });
    const signed = fences[index - 1]?.text ?? '';
    const options = { key, dsaEncoding: 'ieee-p1363' };
    const isGood = verify('sha256', Buffer.from(signed), options, Buffer.from(sig, 'base64url'));
    return isGood ? [] : [{ line, what: 'a signature that does not verify' }];
  });
}
