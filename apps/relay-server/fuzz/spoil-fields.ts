import type { Draft } from './draft.ts';
import type { Tools } from './fixtures.ts';
import type { Outcome } from './outcome.ts';

type Fields = Record<string, unknown>;
type Spoil = (fields: Fields, tools: Tools) => void;

const BAD: readonly Outcome[] = ['invalid_request'];

/** Breaks one rule about the fields before they are signed; the signature is right. */
export function spoilFields(draft: Draft, tools: Tools): Draft {
  const { random } = tools;
  const fields = structuredClone(draft.fields) as Fields;
  // What is no token of Apple's may be one of Android's.
  if (fields['platform'] === 'android') fields['platform'] = 'ios';
  const spoils = draft.route === 'send' ? SEND : draft.route === 'activity' ? ACTIVITY : TOKEN;
  random.pick(spoils)(fields, tools);
  return { ...draft, fields, outcomes: BAD };
}

const TOKEN: readonly Spoil[] = [
  (fields, { markers }) => void (fields['token'] = markers.hex(31)),
  (fields, { markers }) => void (fields['token'] = markers.hex(257)),
  (fields, { markers }) => void (fields['token'] = markers.hex(40).slice(1)),
  (fields, { markers }) => void (fields['token'] = markers.hex(40).padEnd(82, ' ')),
  (fields, { markers }) => void (fields['token'] = `${markers.hex(40)}\n`),
  (fields, { markers }) => void (fields['token'] = markers.word().repeat(4)),
  (fields, { markers }) => void (fields['token'] = `../../${markers.hex(32)}`),
];

const TOKENS: readonly Spoil[] = [
  (fields) => void (fields['tokens'] = []),
  (fields, { markers }) => void (fields['tokens'] = Array.from({ length: 101 }, () => markers.hex(32))),
  (fields, { markers }) => void (fields['tokens'] = [markers.hex(32), `${markers.word()}.`]),
  (fields, { markers }) => void (fields['tokens'] = [markers.hex(32), markers.hex(2049)]),
  (fields, { markers }) => void (fields['env'] = markers.word()),
];

const SEND: readonly Spoil[] = [
  ...TOKENS,
  (fields) => void (fields['title'] = ''),
  (fields, { markers }) => void (fields['title'] = markers.word().padEnd(257, 'é')),
  (fields, { markers }) => void (fields['body'] = markers.word().padEnd(1025, '.')),
  (fields, { random }) => void (fields['badge'] = random.pick([-1, 0.5, 2 ** 53, 1e300])),
  (fields, { markers }) => void (fields['collapseId'] = markers.word().padEnd(65, '-')),
  (fields, { markers }) => void (fields['collapseId'] = `${markers.word()}\r\nx-injected: ${markers.word()}`),
  (fields, { markers }) => void (fields['collapseId'] = `${markers.word()}é`),
  (fields, { markers }) => void (fields['data'] = { aps: markers.word() }),
  (fields, { markers }) => void (fields['data'] = { '': markers.word() }),
  (fields, { markers }) => void (fields['data'] = { [markers.word().padEnd(65, '_')]: '' }),
  (fields, { markers }) => void (fields['data'] = { [markers.word()]: markers.word().padEnd(257, '_') }),
  (fields, { markers }) => void (fields['data'] = { [markers.word()]: { [markers.word()]: markers.word() } }),
  (fields, { markers }) => void (fields['data'] = manyEntries(17, () => markers.word(), 1)),
  (fields, { markers }) => void (fields['data'] = manyEntries(9, () => markers.word(), 256)),
];

const ACTIVITY: readonly Spoil[] = [
  ...TOKENS,
  (fields, { markers }) => void (fields['event'] = markers.word()),
  (fields) => void (fields['dismissalDate'] = 0.5),
  (fields, { markers }) => spoilState(fields, 'status', markers.word()),
  (fields, { random }) => spoilState(fields, 'eventVersion', random.pick([0.5, 2 ** 60])),
  (fields, { markers }) => spoilState(fields, 'title', markers.word().padEnd(81, '+')),
  (fields) => spoilState(fields, 'workingCount', -1),
  (fields, { markers }) => spoilState(fields, markers.word(), markers.word()),
  (fields, { markers }) => spoilState(fields, 'items', Array(5).fill(item(markers.word()))),
  (fields, { markers }) => spoilState(fields, 'items', [item(markers.word().padEnd(129, '_'))]),
  (fields, { markers }) => spoilState(fields, 'items', [{ ...item(''), title: markers.word() }]),
  (fields, { markers }) => spoilState(fields, 'items', [{ ...item('a'), status: markers.word() }]),
];

function manyEntries(count: number, makeName: () => string, bytes: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, () => [makeName(), makeName().padEnd(bytes, '*')]));
}

function spoilState(fields: Fields, name: string, value: unknown): void {
  (fields['contentState'] as Fields)[name] = value;
}

function item(sessionID: string): Record<string, unknown> {
  return { sessionID, title: '', status: 'tool', startedAt: 1 };
}
