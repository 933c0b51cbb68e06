import type { PushRequest } from '@openchambery/testkit';
import type { Draft } from './draft.ts';
import { sign } from './draft.ts';
import type { Tools } from './fixtures.ts';
import { ANYTHING } from './outcome.ts';
import type { Outcome } from './outcome.ts';
import type { Signed } from './spoil-envelope.ts';

type Members = Record<string, unknown>;
type Spoil = (signed: PushRequest, draft: Draft, tools: Tools) => Signed;

const REQUIRED: Readonly<Record<Draft['route'], readonly string[]>> = {
  register: ['token', 'platform'],
  registerActivity: ['token', 'platform', 'kind'],
  unregisterActivity: ['token', 'platform', 'kind'],
  send: ['tokens', 'title'],
  activity: ['tokens', 'event', 'contentState'],
};

/** Changes members of a signed request. */
export function spoilMembers(draft: Draft, tools: Tools): Signed {
  return tools.random.pick(SPOILS)(sign(draft), draft, tools);
}

const SPOILS: readonly Spoil[] = [
  (signed, draft, { random }) => {
    const name = random.pick(['publicKeyJwk', 'ts', 'sig', ...REQUIRED[draft.route]]);
    const { [name]: _gone, ...body } = signed.body;
    return { request: { ...signed, body }, outcomes: ['invalid_request'] };
  },
  (signed, draft, { random }) => {
    const name = random.pick(['publicKeyJwk', 'ts', 'sig', ...REQUIRED[draft.route]]);
    return changed(signed, { [name]: null }, ['invalid_request']);
  },
  (signed, draft, { markers, random }) => {
    const name = random.pick(['publicKeyJwk', 'sig', ...REQUIRED[draft.route]]);
    const value = random.pick<unknown>([
      0,
      true,
      [],
      {},
      [[markers.word()]],
      { [markers.word()]: markers.word() },
    ]);
    return changed(signed, { [name]: value }, ['invalid_request']);
  },
  // Unknown members are ignored, whatever is in them.
  (signed, draft, { markers, random }) => {
    const value = random.pick<unknown>([
      markers.text(),
      null,
      [markers.word()],
      { a: { b: markers.text() } },
    ]);
    return changed(signed, { [markers.text()]: value }, draft.outcomes);
  },
  (signed, draft, { markers }) => {
    const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty'];
    const body = `{${names.map((name) => `"${name}":${JSON.stringify({ [markers.word()]: 1 })},`).join('')}`;
    const text = body + JSON.stringify(signed.body).slice(1);
    return { request: { ...signed, body: JSON.parse(text) as Members }, outcomes: draft.outcomes };
  },
  (signed, { route }, { markers, random }) => {
    if (route === 'send') return changed(signed, { title: markers.text() }, ['invalid_signature']);
    if (route === 'activity') return changed(signed, { staleDate: random.next() }, ['invalid_signature']);
    return changed(signed, { token: markers.hex(32) }, ['invalid_signature']);
  },
  (signed, { route, fields }, { markers, random }) => {
    if (route === 'send' || route === 'activity')
      return changed(signed, { tokens: [markers.hex(32)] }, ['invalid_signature']);
    if (random.chance(0.5)) return changed(signed, { platform: markers.text() }, ['invalid_request']);
    if (route !== 'register') return changed(signed, { platform: 'android' }, ['unsupported_platform']);
    // Every token of Apple's could be one of Android's, and was not signed as one.
    return fields['platform'] === 'android'
      ? changed(signed, { platform: 'ios' }, ['invalid_request'])
      : changed(signed, { platform: 'android' }, ['invalid_signature']);
  },
  changeAnywhere,
  changeAnywhere,
];

function changed(signed: PushRequest, members: Members, outcomes: readonly Outcome[]): Signed {
  return { request: { ...signed, body: { ...signed.body, ...members } }, outcomes };
}

/** Replaces a value anywhere in the tree. Most that come of it is wrong, but not all. */
function changeAnywhere(signed: PushRequest, _draft: Draft, tools: Tools): Signed {
  const { random } = tools;
  const body = structuredClone(signed.body) as Members;
  let at: Members = body;
  for (;;) {
    const names = Object.keys(at);
    const name = random.pick(names.length === 0 ? ['x'] : names);
    const next = at[name];
    if (typeof next !== 'object' || next === null || random.chance(0.3)) {
      at[name] = makeJunk(tools);
      return { request: { ...signed, body }, outcomes: ANYTHING };
    }
    at = next as Members;
  }
}

function makeJunk({ random, markers }: Tools): unknown {
  return random.pick<() => unknown>([
    () => null,
    () => random.chance(0.5),
    () => random.integer(-1e9, 1e9),
    () => random.next() / 7,
    () => -0,
    () => Number.MAX_VALUE,
    () => '',
    () => markers.text(),
    () => markers.hex(32),
    () => markers.word().repeat(random.integer(1, 60)),
    () => [markers.text()],
    () => [],
    () => ({ [markers.text()]: markers.text() }),
    () => ({}),
    () => nested(markers.word(), random.integer(1, 500)),
  ])();
}

function nested(core: string, depth: number): unknown {
  let value: unknown = core;
  for (let i = 0; i < depth; i++) value = i % 2 === 0 ? [value] : { a: value };
  return value;
}
