import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseLiveActivity } from '../../src/request/parse-live-activity.ts';
import { parseLiveActivityRegistration, parseRegistration } from '../../src/request/parse-registration.ts';
import { parseSend } from '../../src/request/parse-send.ts';
import {
  type Body,
  contentState,
  item,
  liveActivity,
  liveActivityRegistration,
  NOW_MS,
  overJson,
  registration,
  send,
  without,
} from '../support/bodies.ts';
import { liveActivityText, registrationText, sendText } from '../support/signed-texts.ts';
import { taken } from '../support/verdicts.ts';

const T1 = 'AB'.repeat(32);
const T2 = '01'.repeat(32);
const T3 = 'ab'.repeat(32);

function textOfLiveActivity(members: Body): string {
  return taken(parseLiveActivity(liveActivity(members), NOW_MS)).signedText;
}

describe('golden texts', () => {
  it('of registrations have the token as sent', () => {
    expect(taken(parseRegistration(registration({ token: T1 }))).signedText).toBe(`1700000000000.${T1}.ios`);
    expect(taken(parseLiveActivityRegistration(liveActivityRegistration({ token: T1 }))).signedText).toBe(
      `1700000000000.${T1}.ios.liveactivity`,
    );
  });

  it('of a send have the tokens by code unit, duplicates included, and the title', () => {
    expect(taken(parseSend(send({ tokens: [T3, T2, T1, T2], title: 'Done. ä,' }))).signedText).toBe(
      `1700000000000.${T2},${T2},${T1},${T3}.Done. ä,`,
    );
  });

  it('of a send have nothing else in them', () => {
    const more = { body: 'b', badge: 1, collapseId: 'c', env: 'production', data: { d: 'e' } };
    expect(taken(parseSend(send({ tokens: [T2], title: 't', ...more }))).signedText).toBe(
      `1700000000000.${T2}.t`,
    );
  });

  it.each<[string, Body, string]>([
    ['a bare update', {}, 'update.working.3.1700000000.5...'],
    ['both dates', { dismissalDate: 0, staleDate: 7 }, 'update.working.3.1700000000.5..0.7'],
    [
      'an end',
      { event: 'end', contentState: contentState({ endedAt: 0, status: 'complete' }), dismissalDate: 9 },
      'end.complete.3.1700000000.5.0.9.',
    ],
    [
      'an empty title, which is there',
      { contentState: contentState({ title: '' }) },
      'update.working.3.1700000000.5......[]',
    ],
    [
      'a count of 0',
      { contentState: contentState({ workingCount: 0 }) },
      'update.working.3.1700000000.5.....0.[]',
    ],
    ['no items', { contentState: contentState({ items: [] }) }, 'update.working.3.1700000000.5......[]'],
    [
      'everything',
      {
        contentState: contentState({
          title: 'A.b',
          workingCount: 2,
          items: [
            { endedAt: 2.5, startedAt: 1, status: 'error', title: 'ä"', sessionID: 's1', x: 1 },
            { sessionId: 's2', status: 'tool', startedAt: -0 },
          ],
        }),
      },
      'update.working.3.1700000000.5....A.b.2.' +
        '[{"sessionID":"s1","title":"ä\\"","status":"error","startedAt":1,"endedAt":2.5},' +
        '{"sessionID":"s2","title":"","status":"tool","startedAt":0}]',
    ],
    [
      'numbers as JavaScript writes them',
      { contentState: contentState({ eventVersion: -0, updatedAt: 1e21, endedAt: 1e-7 }) },
      'update.working.0.1e+21.1e-7..',
    ],
  ])('of a Live Activity: %s', (_, members, text) => {
    expect(textOfLiveActivity({ tokens: [T3, T2], ...members })).toBe(`1700000000000.${T2},${T3}.${text}`);
  });

  it('of a Live Activity have a title cut at 80 units', () => {
    const items = [item({ title: 'x'.repeat(81) })];
    expect(textOfLiveActivity({ contentState: contentState({ items }) })).toContain(`"${'x'.repeat(80)}"`);
  });
});

const ts = fc.maxSafeInteger();
const token = fc
  .tuple(
    fc.integer({ min: 32, max: 40 }),
    fc.array(fc.constantFrom('0', '9', 'a', 'f', 'A', 'F'), { minLength: 80, maxLength: 80 }),
  )
  .map(([bytes, digits]) => digits.join('').slice(0, 2 * bytes));
const tokenList = fc
  .uniqueArray(token, { minLength: 1, maxLength: 5 })
  .chain((some) => fc.array(fc.constantFrom(...some), { minLength: 1, maxLength: 8 }));
const text = fc.string({ maxLength: 40, unit: 'grapheme' });
const number = fc.double({ noNaN: true, noDefaultInfinity: true });
const status = fc.constantFrom(
  'working',
  'tool',
  'retry',
  'input',
  'permission',
  'stale',
  'complete',
  'error',
);
const listed = fc
  .record(
    {
      sessionID: fc.string({ minLength: 1, maxLength: 40 }),
      title: fc.string({ maxLength: 120 }),
      status,
      startedAt: number,
      endedAt: number,
      other: fc.jsonValue({ maxDepth: 1 }),
    },
    { requiredKeys: ['sessionID', 'status', 'startedAt'] },
  )
  .chain((members) =>
    fc.boolean().map((isOld): Body => {
      if (!isOld) return members;
      return { sessionId: members.sessionID, ...without(members, 'sessionID') };
    }),
  );
const state = fc.record(
  {
    status,
    eventVersion: fc.maxSafeInteger(),
    updatedAt: number,
    endedAt: number,
    title: text,
    workingCount: fc.nat(),
    items: fc.array(listed, { maxLength: 4 }),
  },
  { requiredKeys: ['status', 'eventVersion', 'updatedAt', 'endedAt'] },
);

describe('the signed text is that of the contract', () => {
  it('of registrations', () => {
    fc.assert(
      fc.property(ts, token, (ts, token) => {
        const device = registration({ ts, token });
        expect(taken(parseRegistration(device)).signedText).toBe(registrationText(device));
        const activity = liveActivityRegistration({ ts, token });
        expect(taken(parseLiveActivityRegistration(activity)).signedText).toBe(registrationText(activity));
      }),
    );
  });

  it('of sends', () => {
    const title = fc.string({ minLength: 1, maxLength: 50, unit: 'grapheme' });
    fc.assert(
      fc.property(ts, tokenList, title, (ts, tokens, title) => {
        fc.pre(Buffer.byteLength(title) <= 256);
        const body = send({ ts, tokens, title });
        expect(taken(parseSend(body)).signedText).toBe(sendText(body));
      }),
    );
  });

  it('of Live Activities, and the state is what the phone gets', () => {
    const seconds = fc.option(fc.maxSafeInteger(), { nil: undefined });
    const activity = fc.record({
      ts,
      tokens: tokenList,
      event: fc.constantFrom('update', 'end'),
      contentState: state,
      dismissalDate: seconds,
      staleDate: seconds,
    });
    fc.assert(
      fc.property(activity, (members) => {
        const body = overJson(liveActivity(members)) as Body;
        const parsed = parseLiveActivity(body, NOW_MS);
        // Many escapes at once are too much for a payload, which is right.
        fc.pre(!('refusal' in parsed));
        expect(taken(parsed).signedText).toBe(liveActivityText(body));
      }),
    );
  });
});
