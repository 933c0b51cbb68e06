import { makeIdentity } from '@openchambery/testkit';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { PushStoreError } from '../../src/binding/store-error.ts';
import type { PushOutcome } from '../../src/provider/push-outcome.ts';
import type { Environment } from '../../src/provider/push-provider.ts';
import { REFUSAL_STATUS } from '../../src/request/refusal.ts';
import { type Route, ROUTES } from '../../src/request/route.ts';
import { type Body, contentState, item, TOKEN } from '../support/bodies.ts';
import { PushHarness } from '../support/push-harness.ts';
import { ACCEPTED, dead, KEY_FAULT, LATER, MISMATCH, UNKNOWN } from '../support/scripted-provider.ts';

const MARKER = 'marker-93f1';
const KEY = makeIdentity();
/** One more than may be delivered and wait. */
const BOUND = [TOKEN, `${TOKEN}00`, `${TOKEN}01`, `${TOKEN}02`, `${TOKEN}03`];

/** A phone of Android. */
const PHONE = `${MARKER}:APA91b`;

const LIMITS = {
  maxInFlight: 2,
  serverSendLimitPerMinute: 2,
  registerLimitPerMinute: 2,
  sendLimitPerMinute: 3,
};

/** Bodies that are full of what nobody may ever read in a log. */
function markedBody(harness: PushHarness, route: Route, env: Environment): Body {
  const tokens = [...BOUND, TOKEN.toUpperCase(), `${TOKEN}ff`];
  const mixed = [PHONE, ...tokens, `${PHONE}:unknown`];
  switch (route) {
    case ROUTES.registerToken:
      return env === 'sandbox'
        ? harness.registration({ extra: MARKER }, KEY)
        : harness.registration({ token: PHONE, platform: 'android' }, KEY);
    case ROUTES.registerLiveActivityToken:
    case ROUTES.unregisterLiveActivityToken:
      return harness.liveActivityRegistration({ [MARKER]: MARKER }, KEY);
    case ROUTES.send:
      return harness.send(
        { tokens: mixed, env, title: MARKER, body: MARKER, collapseId: MARKER, data: { [MARKER]: MARKER } },
        KEY,
      );
    case ROUTES.liveActivity: {
      const items = [item({ sessionID: MARKER, title: MARKER })];
      return harness.liveActivity({ tokens, env, contentState: contentState({ title: MARKER, items }) }, KEY);
    }
  }
}

const bug = (): Promise<PushOutcome> =>
  Promise.reject(new TypeError(`bug with ${TOKEN} and\n    at ${MARKER}`));
const REACTIONS: readonly (PushOutcome | (() => Promise<PushOutcome>))[] = [
  ACCEPTED,
  MISMATCH,
  dead(undefined),
  dead(1),
  LATER,
  UNKNOWN,
  KEY_FAULT,
  bug,
];
const FAILURES: readonly [Error, Error] = [
  new RangeError(`${MARKER} ${TOKEN}`),
  new PushStoreError('cannot write /data/push.sqlite: disk is full'),
];
const METHODS = [
  'register',
  'unregister',
  'claim',
  'isMarked',
  'find',
  'settle',
  'lastAcceptedAtMs',
] as const;
const STRANGE: readonly unknown[] = [
  null,
  MARKER,
  [MARKER],
  { [MARKER]: MARKER },
  1e308,
  '',
  -1,
  MARKER.repeat(2000),
];

const visit = fc.record({
  route: fc.constantFrom(...Object.values(ROUTES)),
  reaction: fc.constantFrom(...REACTIONS),
  failing: fc.option(fc.tuple(fc.constantFrom(...METHODS), fc.constantFrom(...FAILURES)), { freq: 4 }),
  fault: fc.constantFrom('none', 'none', 'member', 'signature', 'skew', 'bytes', 'again', 'draining', 'full'),
  at: fc.nat(20),
  strange: fc.constantFrom(...STRANGE),
  waitMs: fc.constantFrom(0, 0, 61_000),
});

type Visit = typeof visit extends fc.Arbitrary<infer One> ? One : never;

class Visitor {
  readonly harness = new PushHarness({ limits: LIMITS, platforms: 'both' });
  readonly secrets = [MARKER, TOKEN, KEY.publicJwk.x, KEY.publicJwk.y];
  /** What was answered instead of results. */
  readonly refusals: string[] = [];
  #last: unknown = {};

  async come({ route, reaction, failing, fault, at, strange, waitMs }: Visit): Promise<void> {
    const { harness } = this;
    harness.clock.advance(waitMs);
    harness.provider.scriptBoth(reaction);
    harness.android.script(reaction);
    harness.isDraining = fault === 'draining';
    harness.store.full = fault === 'full' ? { kind: 'full', retryAfterMs: 5 } : undefined;
    harness.store.failures.clear();
    if (failing !== null) harness.store.failures.set(...failing);
    for (const token of BOUND) harness.store.bind(token, KEY.serverId);
    harness.store.bind(PHONE, KEY.serverId, { platform: 'android' });
    const good = markedBody(harness, route, at % 2 === 0 ? 'production' : 'sandbox');
    this.secrets.push(String(good['sig']));
    const body = this.#spoil(good, { fault, at, strange });
    const answer = await harness.post(`${route}?${MARKER}`, body);
    this.#last = good;
    if (answer.status !== 200) this.refusals.push(answer.body);
  }

  #spoil(good: Body, { fault, at, strange }: Pick<Visit, 'fault' | 'at' | 'strange'>): unknown {
    switch (fault) {
      case 'member': {
        const names = Object.keys(good);
        return { ...good, [names[at % names.length] ?? '']: strange };
      }
      case 'signature':
        return { ...good, sig: `${String(good['sig']).slice(0, -2)}AA` };
      case 'skew':
        return { ...good, ts: at };
      case 'bytes':
        return Buffer.from(JSON.stringify(good).slice(0, -1 - at));
      case 'again':
        return this.#last;
      default:
        return good;
    }
  }
}

async function writtenDuring(visits: readonly Visit[]): Promise<PushHarness> {
  const visitor = new Visitor();
  for (const each of visits) await visitor.come(each);
  const { harness, secrets, refusals } = visitor;
  const written = [harness.logger.text(), JSON.stringify(harness.totals), ...refusals].join('\n');
  for (const secret of secrets) {
    const part = secret.slice(0, 12).toLowerCase();
    // Not with `expect`: it would print the very thing.
    if (written.toLowerCase().includes(part)) throw new Error('a secret was written');
  }
  return harness;
}

it('writes lines of every kind, and none with a token, text, data, signature or key', async () => {
  const calm: Visit = {
    route: ROUTES.send,
    reaction: ACCEPTED,
    failing: null,
    fault: 'none',
    at: 1,
    strange: null,
    waitMs: 61_000,
  };
  const [fault] = FAILURES;
  const harness = await writtenDuring([
    { ...calm, reaction: MISMATCH },
    { ...calm, reaction: MISMATCH, at: 2 },
    { ...calm, reaction: LATER },
    calm,
    { ...calm, at: 2 },
    { ...calm, reaction: bug },
    { ...calm, failing: ['claim', fault] },
    { ...calm, failing: ['settle', fault] },
    ...(['member', 'signature', 'skew', 'bytes', 'again', 'draining', 'full'] as const).map((fault) => ({
      ...calm,
      fault,
    })),
  ]);
  expect([...new Set(harness.logger.lines.map(({ message }) => message))].toSorted()).toEqual([
    expect.stringMatching(/^APNs production knows/),
    expect.stringMatching(/^APNs production refuses every device token/),
    expect.stringMatching(/^APNs sandbox knows/),
    expect.stringMatching(/^APNs sandbox refuses every device token/),
    'a push provider threw',
    'a push request failed',
    'push accepted',
    'push not delivered',
    'push not sent: limit: MAX_IN_FLIGHT reached, and as many wait',
    'push request refused',
    'what was learned about device tokens could not be stored',
  ]);
});

it('does so whatever goes wrong', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(visit, { minLength: 5, maxLength: 25 }), async (visits) => {
      expectClosedLabels(await writtenDuring(visits));
    }),
    { numRuns: 60 },
  );
});

function expectClosedLabels({ totals }: PushHarness): void {
  const routes = new Set<string>(Object.values(ROUTES));
  for (const label of Object.keys(totals.answers)) {
    const [route = '', status = ''] = label.split(' ');
    expect(routes.has(route)).toBe(true);
    expect(['200', '400', '401', '413', '429', '500', '503']).toContain(status);
  }
  for (const code of Object.keys(totals.refusals)) expect(Object.keys(REFUSAL_STATUS)).toContain(code);
}
