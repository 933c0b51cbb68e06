import { fcmError } from '@openchambery/testkit';
import type { Answer, Reaction } from '@openchambery/testkit';
import type { Tools } from './fixtures.ts';

const STATUSES = [
  201, 204, 299, 300, 400, 400, 400, 403, 404, 405, 407, 408, 410, 410, 413, 418, 425, 429, 500, 503,
];
const REASONS = [
  'BadDeviceToken',
  'Unregistered',
  'DeviceTokenNotForTopic',
  'TooManyRequests',
  'TooManyProviderTokenUpdates',
  'InternalServerError',
  'ServiceUnavailable',
  'BadTopic',
  'PayloadTooLarge',
  'IdleTimeout',
];
const GOOGLE_ERRORS = [
  [400, 'INVALID_ARGUMENT'],
  [403, 'SENDER_ID_MISMATCH'],
  [404, 'UNREGISTERED'],
  [429, 'QUOTA_EXCEEDED'],
  [500, 'INTERNAL'],
  [503, 'UNAVAILABLE'],
] as const;
const GOAWAY_CODES = [0, 0, 1, 2, 11];

type Make = (tools: Tools) => Reaction;

/** What Apple, or Google, does to a push; each has to bear the other's words, too. Faults that cost the whole connection 5 s are rare: everybody on it waits. */
export function makeReaction(tools: Tools): Reaction {
  return tools.random.weighted<Make>(REACTIONS)(tools);
}

const REACTIONS: readonly (readonly [number, Make])[] = [
  [600, () => ({ status: 200 })],
  [150, refuse],
  [150, talkNonsense],
  [60, refuseAsGoogle],
  [20, ({ random }) => ({ status: 200, delayMs: random.integer(1, 30) })],
  [20, ({ random }) => ({ fault: 'rst-stream', code: random.integer(0, 13) })],
  [6, goAway],
  [3, () => ({ fault: 'tcp-reset' })],
  [3, () => ({ fault: 'tcp-fin' })],
  [2, () => ({ fault: 'silence' })],
];

function refuse({ random }: Tools): Answer {
  const answer: Answer = { status: random.pick(STATUSES), reason: random.pick(REASONS) };
  if (random.chance(0.3)) return { ...answer, timestampMs: Date.now() - random.integer(-1e6, 1e9) };
  return random.chance(0.3) ? { ...answer, retryAfter: random.integer(0, 3) } : answer;
}

function refuseAsGoogle({ random, markers }: Tools): Answer {
  const [status, errorCode] = random.pick(GOOGLE_ERRORS);
  const retryAfter = random.chance(0.2) ? { retryAfter: random.integer(0, 3) } : {};
  return fcmError(status, { errorCode, status: random.pick([errorCode, markers.word()]), ...retryAfter });
}

/** An answer with something to find in every place. */
function talkNonsense(tools: Tools): Answer {
  const { random, markers } = tools;
  const headers: Record<string, string> = {
    'apns-id': markers.word(),
    'apns-unique-id': markers.word(),
    [`x-${markers.word().toLowerCase()}`]: markers.word(),
  };
  if (random.chance(0.3)) headers['retry-after'] = markers.word();
  return { status: random.pick(STATUSES), headers, body: makeNonsense(tools) };
}

function makeNonsense({ random, markers }: Tools): string | Uint8Array {
  return random.pick<() => string | Uint8Array>([
    () => markers.text(),
    () => JSON.stringify({ reason: markers.text(), timestamp: markers.word() }),
    () => JSON.stringify({ reason: [markers.word()], [markers.word()]: markers.text() }),
    () => JSON.stringify([markers.text()]),
    () => JSON.stringify(markers.hex(32)),
    () => `{"reason":"${markers.word()}`,
    () => `{"reason":"${markers.hex(32)}"}`,
    () => `{"reason":"BadDeviceToken ${markers.word()}"}`,
    () => `<html>${markers.word().repeat(400)}</html>`,
    () => random.bytes(random.integer(0, 300)),
    () => '',
  ])();
}

function goAway({ random, markers }: Tools): Reaction {
  return {
    fault: 'goaway',
    code: random.pick(GOAWAY_CODES),
    lastStream: random.pick(['at', 'below']),
    reason: random.pick(['Shutdown', markers.word(), markers.text()]),
  };
}
