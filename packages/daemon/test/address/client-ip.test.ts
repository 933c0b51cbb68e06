import { isIP } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clientIp, normaliseIp, UNKNOWN_IP } from '../../src/address/client-ip.ts';

describe('normaliseIp', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['255.255.255.255', '255.255.255.255'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::FFFF:c000:0201', '192.0.2.1'],
    ['0:0:0:0:0:ffff:192.0.2.1', '192.0.2.1'],
    ['2001:db8:0:1::', '2001:db8:0:1::/64'],
    ['2001:db8:0:1:ffff:ffff:ffff:ffff', '2001:db8:0:1::/64'],
    ['2001:0DB8:0000:0001:0000:0000:0000:0005', '2001:db8:0:1::/64'],
    ['2001:db8::', '2001:db8::/64'],
    ['2001:db8:0:2::1', '2001:db8:0:2::/64'],
    ['0:0:0:1::1', '0:0:0:1::/64'],
    ['::1', '::/64'],
    ['64:ff9b::192.0.2.1', '64:ff9b::/64'],
    ['fe80::1%eth0', 'fe80::/64'],
    ['fe80::2%1', 'fe80::/64'],
  ])('counts %s as %s', (text, expected) => {
    expect(normaliseIp(text)).toBe(expected);
  });

  it.each([
    '',
    'unknown',
    'localhost',
    '1',
    '127.1',
    '010.0.0.1',
    '0x7f.0.0.1',
    '256.0.0.1',
    '192.0.2.1:80',
    '[::1]',
    '[::1]:80',
    '::1::',
    '2001:db8::/64',
    '192.0.2.1\n',
    ' 192.0.2.1',
    '192.0.2.1, 192.0.2.2',
    '%eth0',
    '192.0.2.1%eth0',
    '_hidden',
  ])('takes %j for no address', (text) => {
    expect(normaliseIp(text)).toBeUndefined();
  });

  it('puts the addresses of one /64 under one text, and those of two under two', () => {
    const group = fc.integer({ min: 0, max: 0xffff }).map((value) => value.toString(16));
    const groups = fc.array(group, { minLength: 4, maxLength: 4 });
    fc.assert(
      fc.property(groups, groups, groups, (network, host, otherHost) => {
        const text = normaliseIp([...network, ...host].join(':'));
        expect(text).toBe(normaliseIp([...network, ...otherHost].join(':')));
        expect(isIP(text?.replace('/64', '') ?? '')).toBe(6);
        const [first = '', ...rest] = network;
        const otherFirst = (Number.parseInt(first, 16) ^ 1).toString(16);
        expect(text).not.toBe(normaliseIp([otherFirst, ...rest, ...host].join(':')));
      }),
    );
  });

  it('knows every address Node knows, and never throws', () => {
    const text = fc.oneof(fc.ipV4(), fc.ipV6(), fc.ipV4Extended(), fc.string({ unit: 'binary' }));
    fc.assert(
      fc.property(text, (input) => {
        expect(normaliseIp(input) !== undefined).toBe(isIP(input) !== 0);
      }),
    );
  });
});

describe('clientIp', () => {
  const peerAddress = '::ffff:10.0.0.1';

  it('is the peer when no proxy is trusted', () => {
    expect(clientIp({ peerAddress, forwardedFor: '192.0.2.1', trustProxy: 'ignore' })).toBe('10.0.0.1');
  });

  it.each([
    ['192.0.2.1', '192.0.2.1'],
    [' \t192.0.2.1 ', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['2001:db8::1', '2001:db8::/64'],
    [['192.0.2.1'], '192.0.2.1'],
  ])('is the forwarded address of a trusted proxy: %j', (forwardedFor, expected) => {
    expect(clientIp({ peerAddress, forwardedFor, trustProxy: 'trust' })).toBe(expected);
  });

  it.each([
    undefined,
    '',
    'unknown',
    '192.0.2.1, 192.0.2.2',
    '192.0.2.1,',
    ', 192.0.2.1',
    'unknown, 192.0.2.1',
    '192.0.2.1 192.0.2.2',
    '192.0.2.1:1234',
  ])('is the peer when a trusted proxy sends %j', (forwardedFor) => {
    expect(clientIp({ peerAddress, forwardedFor, trustProxy: 'trust' })).toBe('10.0.0.1');
  });

  it.each([
    { forwardedFor: [] },
    { forwardedFor: ['192.0.2.1', '192.0.2.2'] },
    { forwardedFor: ['192.0.2.1', ''] },
  ])('is the peer when the header comes several times: $forwardedFor', ({ forwardedFor }) => {
    expect(clientIp({ peerAddress, forwardedFor, trustProxy: 'trust' })).toBe('10.0.0.1');
  });

  it('has a name for peers without an address', () => {
    expect(clientIp({ peerAddress: undefined, forwardedFor: undefined, trustProxy: 'ignore' })).toBe(
      UNKNOWN_IP,
    );
    expect(clientIp({ peerAddress: '', forwardedFor: 'x', trustProxy: 'trust' })).toBe(UNKNOWN_IP);
  });
});
