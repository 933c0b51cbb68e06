import { expect, test } from 'vitest';
import { describeDialError, describeHttpAnswer } from '../../src/relay/dial-fault.ts';

function systemError(code: string): Error {
  return Object.assign(new Error(`connect ${code} 203.0.113.1:443`), { code });
}

test.each([
  ['ECONNREFUSED', 'is the relay running'],
  ['ENOTFOUND', 'check the relay URL'],
  ['EAI_AGAIN', 'online'],
  ['CERT_HAS_EXPIRED', 'expired'],
  ['CERT_NOT_YET_VALID', 'clock'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'another host name'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'NODE_EXTRA_CA_CERTS'],
  ['HPE_INVALID_CONSTANT', 'does not speak HTTP'],
  ['EWHATEVER', 'EWHATEVER'],
])('says what to do about %s', (code, words) => {
  expect(describeDialError(systemError(code))).toContain(words);
});

test('says what ws found wrong, on one line', () => {
  expect(describeDialError(new Error('Invalid Sec-WebSocket-Accept header\nmore'))).toBe(
    'the relay does not answer as one: Invalid Sec-WebSocket-Accept header',
  );
});

test.each([
  [301, 'elsewhere'],
  [308, 'elsewhere'],
  [400, 'reverse proxy'],
  [403, 'refuses'],
  [404, 'path'],
  [407, 'proxy'],
  [426, 'upgrades'],
  [429, 'limits'],
  [502, 'is the relay running'],
  [504, 'is the relay running'],
  [200, 'no relay'],
  [500, 'no relay'],
])('says what HTTP %i means', (status, words) => {
  const reason = describeHttpAnswer(status);
  expect(reason).toContain(`HTTP ${status}`);
  expect(reason).toContain(words);
});

test('names where a redirect leads, without the signed query', () => {
  const reason = describeHttpAnswer(301, 'https://user:pw@relay.example/ws?sig=secret#x');
  expect(reason).toContain('(https://relay.example/ws)');
  expect(reason).not.toMatch(/secret|pw|user/);
  expect(describeHttpAnswer(302, '/elsewhere?sig=secret')).not.toContain('secret');
});
