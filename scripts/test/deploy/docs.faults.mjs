// Breaks pages, one way at a time, and expects the checks of the documentation to say so.
import { formatConfigurationPage } from '../../docs/configuration-page.mjs';
import { readSettings } from '../../docs/read-settings.mjs';
import { runPage } from './docs.commands.mjs';
import { examinePages } from './docs.examine.mjs';
import { parsePage } from './docs.markdown.mjs';
import { findTypeFaults } from './docs.types.mjs';

const FENCE = '```';

/** Text for the end of a page, and what has to be said about it. */
const BROKEN_TEXTS = [
  ['[a](nowhere.md)', 'nowhere.md leads nowhere'],
  ['[a\nb](protocol/nowhere.md#a)', 'nowhere.md#a leads nowhere'],
  ['[a](configuration.md#no-such-heading)', 'has no heading #no-such-heading'],
  ['[a](#no-such-heading)', 'has no heading #no-such-heading'],
  ['`OPENCHAMBER_RELAY_SERVER_PROT`', 'no variable OPENCHAMBER_RELAY_SERVER_PROT'],
  ['`OPENCHAMBER_RELAY_SERVRE_…`', 'no variable OPENCHAMBER_RELAY_SERVRE_'],
  [`${FENCE}sh\nOPENCHAMBER_PUSH_RELAY_P8=1\n${FENCE}`, 'no variable OPENCHAMBER_PUSH_RELAY_P8'],
  [['`MAX_CLIENTS_PER_', 'COW`'].join(''), 'nothing is called MAX_CLIENTS_PER_'],
  ['`deploy/nowhere.cfg`', 'no file deploy/nowhere.cfg'],
  ['`packages/nowhere/*.ts`', 'no file packages/nowhere/*.ts'],
  ['`docker-compose.nowhere.yml`', 'no file docker-compose.nowhere.yml'],
  [`${FENCE}sh\ncp deploy/nowhere.cfg /tmp\n${FENCE}`, 'no file deploy/nowhere.cfg'],
  ['`npm run nothing`', 'no "npm run nothing"'],
  ['`npx openchamber-relay --no-such`', 'openchamber-relay has no flag --no-such'],
  ['`npm start -- --path /ws --no-such`', 'openchamber-relay has no flag --no-such'],
  ['`openchamber-push-relay --path /`', 'openchamber-push-relay has no flag --path'],
  ['`npx openchamber-tunnel expose 3000 --listen 1`', 'openchamber-tunnel expose has no flag --listen'],
  ['`@openchambery/nothing`', 'no package @openchambery/nothing'],
  [`${FENCE}json\n{ "a": 1, }\n${FENCE}`, 'JSON that does not parse'],
  [
    `${FENCE}json\n{ "publicKeyJwk": { "crv": "P-256", "kty": "EC", "x": "S98cr4YxmhuE6s15OYFlCd9n-TgHtFofpXQqiR8SL_4", "y": "XLCTqbs25sNs8YcEPgPAg7_9yEIujPIBTEaPP8mjzoA" }, "sig": "AAAA" }\n${FENCE}`,
    'a signature that does not verify',
  ],
  [`${FENCE}yaml\na: [1\n${FENCE}`, 'YAML that does not parse'],
  [`${FENCE}bash\ntrue\n${FENCE}`, 'what is run must be "sh"'],
  [`${FENCE}\ntrue\n${FENCE}`, 'what is run must be "sh"'],
  [`${FENCE}sh\ntrue`, 'never closed'],
  [`<!-- not run: -->\n${FENCE}sh\ntrue\n${FENCE}`, '"not run" needs a reason'],
  [`<!-- skip: why not -->\n${FENCE}sh\ntrue\n${FENCE}`, 'cannot be marked "skip"'],
];

/** Blocks, and what has to become of them. */
const BLOCKS = [
  [block('exit 3'), 'it ended with 3'],
  [block('false\ntrue'), 'it ended with 1'],
  [block('echo yes', 'prints: no'), 'did not print'],
  [block('echo no; exit 1', 'fails: yes'), 'did not print'],
  [block('echo yes', 'fails: yes'), 'it ended with 0'],
  [block('sleep 30'), 'took too long'],
  [block('sleep 30', 'stays: ready'), 'took too long'],
  [block('exit 0', 'stays: ready'), 'did not print'],
  [
    `${block('echo ready; exit 2', 'stays: ready')}\n${block('until [ -f "$DOCS_STATE/folder" ]; do sleep 0.1; done; sleep 0.5')}`,
    'it ended with 2',
  ],
  [block('trap "" TERM; echo ready; while :; do sleep 0.1; done', 'stays: ready'), 'it did not stop'],
  [
    `${block('touch up; echo ready; exec sleep 30', 'stays: ready')}\n${block('false', 'first: Ctrl-C')}`,
    'it ended with 1',
  ],
  [
    `${block('touch a; trap "rm a" EXIT; echo ready; sleep 30 & wait', 'stays: ready')}\n${block('touch b; trap "rm b" EXIT; echo ready; sleep 30 & wait', 'stays: ready')}\n${block('[ ! -e a ]; [ ! -e b ]; exit 7', 'first: Ctrl-C everywhere')}`,
    'it ended with 7',
  ],
  [block('true', 'needs: no-such-command'), 'there is no no-such-command here'],
];

/** And some in which nothing is wrong. */
const FINE_BLOCKS = [
  block('exit 3', 'not run: breaks things'),
  `${block('A=1; export B="2\n3"; mkdir b; cd b')}\n${block('[ "$A" = 1 ]; [ "$(env | grep -c "^[AB]=")" = 1 ]; [ "$(basename "$PWD")" = b ]')}`,
  `${block('echo ready; exec sleep 30', 'stays: ready')}\n${block('echo 8787', 'prints: 8787')}`,
  block('[ -z "${OPENCHAMBER_RELAY_SERVER_HOST-}" ]; [ -e package.json ]; [ ! -e data ]'),
  block('sleep 30 &'),
  block('[ 8080 != "80""80" ]; [ 13000 = "130""00" ]; echo 3000', 'prints: 3000'),
];

/** For what has to take too long, and for everything else; in ms. */
const IMPATIENT = { block: 300, stop: 300 };
const PATIENT = { block: 20_000, stop: 20_000 };

/** What went unnoticed, one line each. */
export async function findBlindSpots(pages, world) {
  const blocks = await Promise.all([
    ...BLOCKS.map((entry) => tryBlock(entry, world)),
    ...FINE_BLOCKS.map((text) => tryFineBlock(text, world)),
  ]);
  const types = await tryTypes(world);
  return [...tryTexts(pages, world), ...tryWorlds(pages, world), ...tryTables(), ...types, ...blocks.flat()];
}

function tryTexts(pages, world) {
  return BROKEN_TEXTS.flatMap(([text, expected]) => {
    const faults = examinePages(withText(pages, text), world);
    return faults.some((fault) => fault.includes(expected)) ? [] : [`unnoticed: ${text}`];
  });
}

/** The pages as they are, in a repository that is another. */
function tryWorlds(pages, world) {
  const orphan = { ...parsePage('docs/orphan.md', '# Orphan\n'), isDocumentation: true };
  const [name] = world.deploymentVariables;
  const attempts = [
    ['docs/orphan.md', examinePages([...pages, orphan], world)],
    ['does not have NEW_NAME', examinePages(pages, { ...world, composeVariables: ['NEW_NAME'] })],
    [`has ${name}, which no Compose file reads`, examinePages(pages, { ...world, composeVariables: [] })],
    ['there is no "npm run demo"', examinePages(pages, { ...world, scripts: [] })],
    ['does not have ERR_HOST_NEW', examinePages(pages, { ...world, errorCodes: ['ERR_HOST_NEW'] })],
  ];
  return attempts.flatMap(([expected, faults]) =>
    faults.some((fault) => fault.includes(expected)) ? [] : [`unnoticed: ${String(expected)}`],
  );
}

/** Blocks that are one module, and one that is another. */
async function tryTypes({ root }) {
  const own = (text, directive) => block(text, directive).replace(`${FENCE}sh`, `${FENCE}ts`);
  const page = (...blocks) => ({ ...parsePage('docs/page.md', blocks.join('\n')), isDocumentation: true });
  const pages = [
    page(own('const port: number = 1;'), own('console.log(port);\nexport {};'), own('port;', 'apart: no')),
    page(own("import { nothing } from '@openchambery/client';")),
  ];
  const faults = await findTypeFaults(pages, root);
  const expected = [/^docs\/page\.md:12: .*'port'/, /^docs\/page\.md:2: .*'nothing'/];
  const areNoticed =
    faults.length === 2 && expected.every((each) => faults.some((fault) => each.test(fault)));
  return areNoticed ? [] : [`unnoticed types: ${faults.join('; ')}`];
}

/** Whatever changes in the tables changes the page. */
function tryTables() {
  const settings = readSettings();
  const before = formatConfigurationPage(settings);
  const changes = [
    ({ relay }) => (relay.settings.at(-1).defaultText = '5'),
    ({ relay }) => (relay.limits.idAttempts.max = 5),
    ({ push }) => (push.settings[0].meaning = 'another'),
    ({ push }) => push.settings.pop(),
    ({ tunnel }) => tunnel.commands[0].options.pop(),
    ({ tunnel }) => (tunnel.commands[0].options[0].variable = 'ANOTHER'),
    ({ switches }) => switches.pop(),
  ];
  return changes.flatMap((change) => {
    const changed = structuredClone(settings);
    change(changed);
    return formatConfigurationPage(changed) === before ? [`unnoticed: ${String(change)}`] : [];
  });
}

async function tryBlock([text, expected], { root }) {
  const times = { ...PATIENT };
  if (expected === 'took too long') times.block = IMPATIENT.block;
  if (expected === 'it did not stop') times.stop = IMPATIENT.stop;
  const results = await runPage(parsePage('docs/broken.md', text), root, times);
  const isNoticed = results.some(({ outcome, detail }) => outcome !== 'passed' && detail.includes(expected));
  return isNoticed ? [] : [`unnoticed: ${text}: ${JSON.stringify(results)}`];
}

async function tryFineBlock(text, { root }) {
  const results = await runPage(parsePage('docs/fine.md', text), root, PATIENT);
  const isFine = results.every(({ outcome }) => outcome === 'passed');
  return isFine ? [] : [`a false alarm: ${text}: ${JSON.stringify(results)}`];
}

function withText(pages, text) {
  return pages.map((page) =>
    page.path === 'docs/configuration.md'
      ? { ...parsePage(page.path, `${page.text}\n\n${text}\n`), isDocumentation: true }
      : page,
  );
}

function block(text, directive) {
  const comment = directive === undefined ? '' : `<!-- ${directive} -->\n`;
  return `${comment}${FENCE}sh\n${text}\n${FENCE}\n`;
}
