import { describe, expect, it } from 'vitest';
import { parseLiveActivity } from '../../src/request/parse-live-activity.ts';
import { parseLiveActivityRegistration, parseRegistration } from '../../src/request/parse-registration.ts';
import { parseSend } from '../../src/request/parse-send.ts';
import {
  type Body,
  liveActivity,
  liveActivityRegistration,
  NOW_MS,
  POINT,
  registration,
  send,
  without,
} from '../support/bodies.ts';
import { codeOf, taken } from '../support/verdicts.ts';

const ROUTES: [string, (json: unknown) => object, (members?: Body) => Body][] = [
  ['register-token', parseRegistration, registration],
  ['register-live-activity-token', parseLiveActivityRegistration, liveActivityRegistration],
  ['send', parseSend, send],
  ['live-activity', (json) => parseLiveActivity(json, NOW_MS), liveActivity],
];

describe.each(ROUTES)('%s', (_, parse, build) => {
  it('takes an envelope as the contract has it', () => {
    expect(codeOf(parse(build()))).toBe('ok');
  });

  it.each(['publicKeyJwk', 'ts', 'sig'])('needs %s', (name) => {
    expect(codeOf(parse(without(build(), name)))).toBe('invalid_request');
    expect(codeOf(parse(build({ [name]: null })))).toBe('invalid_request');
  });

  it.each(['crv', 'kty', 'x', 'y'])('needs %s in the key', (name) => {
    const key = without(POINT, name);
    expect(codeOf(parse(build({ publicKeyJwk: key })))).toBe('invalid_request');
    expect(codeOf(parse(build({ publicKeyJwk: { ...key, [name]: null } })))).toBe('invalid_request');
  });

  it('takes the members of the key in any order', () => {
    const { crv, kty, x, y } = POINT;
    expect(codeOf(parse(build({ publicKeyJwk: { y, x, kty, crv } })))).toBe('ok');
  });

  it.each([
    ['a private key', { ...POINT, d: POINT.x }],
    ['one more member', { ...POINT, alg: 'ES256' }],
    ['another curve', { ...POINT, crv: 'P-384' }],
    ['the curve in another spelling', { ...POINT, crv: 'p-256' }],
    ['another type', { ...POINT, kty: 'OKP' }],
    ['a list', [POINT]],
    ['a text', JSON.stringify(POINT)],
  ])('refuses %s as a key', (_name, publicKeyJwk) => {
    expect(codeOf(parse(build({ publicKeyJwk })))).toBe('invalid_request');
  });

  it.each([
    ['padding', `${POINT.x}=`],
    ['base64', `+/${POINT.x.slice(2)}`],
    // The last character of 32 bytes carries two bits too many.
    ['unused bits', `${POINT.x.slice(0, -1)}X`],
    ['31 bytes', Buffer.alloc(31, 1).toString('base64url')],
    ['33 bytes', Buffer.alloc(33, 1).toString('base64url')],
    ['nothing', ''],
    ['a number', 5],
  ])('refuses a coordinate with %s', (_name, x) => {
    expect(codeOf(parse(build({ publicKeyJwk: { ...POINT, x } })))).toBe('invalid_request');
    expect(codeOf(parse(build({ publicKeyJwk: { ...POINT, y: x } })))).toBe('invalid_request');
  });

  it.each([
    '',
    'A'.repeat(85),
    'A'.repeat(87),
    `${'A'.repeat(85)}B`,
    `${'A'.repeat(86)}==`,
    `${'A'.repeat(85)}+`,
    86,
  ])('refuses %j as a signature', (sig) => {
    expect(codeOf(parse(build({ sig })))).toBe('invalid_request');
  });

  it.each(['1700000000000', 1.5, true, [1], Number.POSITIVE_INFINITY, 2 ** 53])(
    'refuses %j as a time',
    (ts) => {
      expect(codeOf(parse(build({ ts })))).toBe('invalid_request');
    },
  );

  it.each([0, -1, NOW_MS, Number.MAX_SAFE_INTEGER])('leaves it to the clock what to say of %j', (ts) => {
    expect(codeOf(parse(build({ ts })))).toBe('ok');
  });

  it('ignores members that the contract does not know', () => {
    expect(codeOf(parse({ ...build(), extra: { a: [null] }, constructor: 1, toJSON: 2 }))).toBe('ok');
    const named = JSON.parse(`{"__proto__":{"ts":"x"},${JSON.stringify(build()).slice(1)}`) as unknown;
    expect(codeOf(parse(named))).toBe('ok');
  });

  it('takes nothing from a prototype', () => {
    const bare = without(build(), 'ts');
    const named = JSON.parse(`{"__proto__":{"ts":${NOW_MS}},${JSON.stringify(bare).slice(1)}`) as unknown;
    expect(codeOf(parse(named))).toBe('invalid_request');
  });

  it.each([null, [], 'x', 5, true, {}])('refuses %j', (json) => {
    expect(codeOf(parse(json))).toBe('invalid_request');
  });
});

it('gives the envelope on with nothing beside it', () => {
  const { envelope } = taken(parseRegistration(registration({ extra: 1 })));
  expect(envelope).toEqual({ publicKeyJwk: POINT, ts: NOW_MS, sig: 'A'.repeat(86) });
});
