import { describe, expect, it } from 'vitest';
import { parseLiveActivityRegistration, parseRegistration } from '../../src/request/parse-registration.ts';
import { liveActivityRegistration, NOW_MS, registration, TOKEN, without } from '../support/bodies.ts';
import { codeOf, taken } from '../support/verdicts.ts';

describe.each([
  ['a device', parseRegistration, registration],
  ['a Live Activity', parseLiveActivityRegistration, liveActivityRegistration],
])('the token of %s', (_, parse, build) => {
  it.each([64, 66, 160, 510, 512])('may have %d hexadecimal digits', (length) => {
    const token = 'F'.repeat(length);
    expect(taken(parse(build({ token }))).content.token).toBe('f'.repeat(length));
  });

  it.each([0, 2, 62, 63, 65, 511, 513, 514])('may not have %d', (length) => {
    expect(codeOf(parse(build({ token: 'f'.repeat(length) })))).toBe('invalid_request');
  });

  it.each([
    `${'a'.repeat(63)}g`,
    `${'a'.repeat(64)}\n`,
    ` ${'a'.repeat(64)}`,
    `0x${'a'.repeat(62)}`,
    `${'a'.repeat(63)}１`,
  ])('has hexadecimal digits and nothing else: %j', (token) => {
    expect(codeOf(parse(build({ token })))).toBe('invalid_request');
  });

  it.each([null, 5, ['a'.repeat(64)], {}])('is not %j', (token) => {
    expect(codeOf(parse(build({ token })))).toBe('invalid_request');
  });

  it('is required', () => {
    expect(codeOf(parse(without(build(), 'token')))).toBe('invalid_request');
  });
});

describe.each([
  ['a device', parseRegistration, registration],
  ['a Live Activity', parseLiveActivityRegistration, liveActivityRegistration],
])('the platform of %s', (_, parse, build) => {
  it('may not be android without a provider for it', () => {
    expect(codeOf(parse(build({ platform: 'android' })))).toBe('unsupported_platform');
  });

  it('is looked at first, since tokens look different there', () => {
    expect(codeOf(parse(build({ platform: 'android', token: 'cXyz:APA91b' })))).toBe('unsupported_platform');
  });

  it.each(['IOS', 'iOS', '', 'web', ' ios', null, 5, ['ios']])('is not %j', (platform) => {
    expect(codeOf(parse(build({ platform })))).toBe('invalid_request');
  });

  it('is required', () => {
    expect(codeOf(parse(without(build(), 'platform')))).toBe('invalid_request');
  });
});

describe('the kind', () => {
  it.each(['LiveActivity', 'device', '', null, ['liveactivity']])('of a Live Activity is not %j', (kind) => {
    expect(codeOf(parseLiveActivityRegistration(liveActivityRegistration({ kind })))).toBe('invalid_request');
  });

  it('of a Live Activity is required', () => {
    expect(codeOf(parseLiveActivityRegistration(registration()))).toBe('invalid_request');
  });

  it('says nothing about a device, where the contract does not know it', () => {
    const { content, signedText } = taken(parseRegistration(registration({ kind: 'liveactivity' })));
    expect(content.kind).toBe('device');
    expect(signedText).toBe(`${NOW_MS}.${TOKEN}.ios`);
  });
});

describe('what is taken', () => {
  it('is the token in lower case, the platform and the kind', () => {
    const token = 'aB'.repeat(40);
    expect(taken(parseRegistration(registration({ token }))).content).toEqual({
      token: 'ab'.repeat(40),
      platform: 'ios',
      kind: 'device',
    });
    expect(taken(parseLiveActivityRegistration(liveActivityRegistration({ token }))).content).toEqual({
      token: 'ab'.repeat(40),
      platform: 'ios',
      kind: 'liveactivity',
    });
  });
});

describe('the token of an Android phone, where FCM is configured', () => {
  const parse = (members: Record<string, unknown>) =>
    parseRegistration(registration({ platform: 'android', ...members }), ['ios', 'android']);

  it.each(['a', 'cXyz_-1:APA91b', 'A'.repeat(64), 'x'.repeat(4096)])(
    'is taken and signed as it is: %s',
    (token) => {
      const { content, signedText } = taken(parse({ token }));
      expect(content).toEqual({ token, platform: 'android', kind: 'device' });
      expect(signedText).toBe(`${NOW_MS}.${token}.android`);
    },
  );

  it.each(['', 'x'.repeat(4097), 'a b', 'a.b', 'a/b', 'a\n', 'é', null, 5, ['a']])('is not %j', (token) => {
    expect(codeOf(parse({ token }))).toBe('invalid_request');
  });

  it('leaves those of Apple as they are', () => {
    expect(codeOf(parseRegistration(registration({ token: 'cX:APA' }), ['ios', 'android']))).toBe(
      'invalid_request',
    );
    expect(taken(parseRegistration(registration(), ['ios', 'android'])).content.platform).toBe('ios');
  });
});
