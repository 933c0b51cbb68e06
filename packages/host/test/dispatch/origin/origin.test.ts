import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkOrigin, lookupLoopback } from '../../../src/dispatch/origin/origin.ts';

describe('checkOrigin', () => {
  it.each([
    ['http://localhost:3000', 'http://localhost:3000', 'localhost', 3000],
    ['http://LOCALHOST:3000/', 'http://localhost:3000', 'localhost', 3000],
    ['http://app.localhost', 'http://app.localhost', 'app.localhost', 80],
    ['http://localhost.', 'http://localhost.', 'localhost.', 80],
    ['https://127.0.0.1', 'https://127.0.0.1', '127.0.0.1', 443],
    ['http://127.0.0.1:80', 'http://127.0.0.1', '127.0.0.1', 80],
    ['http://127.255.255.254:8080', 'http://127.255.255.254:8080', '127.255.255.254', 8080],
    // The URL standard's other ways to write it.
    ['http://2130706433:8080', 'http://127.0.0.1:8080', '127.0.0.1', 8080],
    ['http://[::1]:8080', 'http://[::1]:8080', '::1', 8080],
    ['http://[0:0:0:0:0:0:0:1]', 'http://[::1]', '::1', 80],
  ])('takes %s', (value, href, hostname, port) => {
    const expected = { isSecure: value.startsWith('https'), href, hostname, port };
    expect(checkOrigin(value)).toEqual(expected);
    expect(checkOrigin(new URL(value))).toEqual(expected);
  });

  it.each([
    '',
    'localhost:3000',
    '127.0.0.1:3000',
    'ws://127.0.0.1:3000',
    'ftp://127.0.0.1',
    'http://example.com',
    'http://localhost.example.com',
    'http://notlocalhost',
    'http://.localhost',
    'http://10.0.0.1',
    'http://128.0.0.1',
    'http://126.255.255.255',
    'http://0.0.0.0',
    'http://127.0.0.1.example.com',
    'http://[::]',
    'http://[::2]',
    'http://[::ffff:8.8.8.8]',
    'http://127.0.0.1/path',
    'http://127.0.0.1/?query',
    'http://127.0.0.1/#fragment',
    'http://user@127.0.0.1',
    'http://:secret@127.0.0.1',
    'http://127.0.0.1:65536',
  ])('refuses %s, and says what is allowed', (value) => {
    expect(() => checkOrigin(value)).toThrow(
      expect.objectContaining({
        code: 'ERR_HOST_OPTION',
        option: 'origin',
        expected: expect.stringContaining('on this machine'),
      }),
    );
  });

  it('repeats no password', () => {
    expect(() => checkOrigin('http://user:hunter2@127.0.0.1')).not.toThrow(/hunter2/);
  });

  it('takes no address that is not of 127.0.0.0/8', () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        const isLoopback = address.startsWith('127.');
        const take = () => checkOrigin(`http://${address}:1`);
        if (isLoopback) expect(take().hostname).toBe(address);
        else expect(take).toThrow('origin');
      }),
    );
  });
});

describe('lookupLoopback', () => {
  it('knows this machine alone', () => {
    lookupLoopback('example.com', { all: true }, (error, addresses) => {
      expect(error).toBeNull();
      expect(addresses).toEqual([
        { address: '127.0.0.1', family: 4 },
        { address: '::1', family: 6 },
      ]);
    });
    lookupLoopback('localhost', {}, (error, address, family) => {
      expect([error, address, family]).toEqual([null, '127.0.0.1', 4]);
    });
    lookupLoopback('localhost', { family: 6 }, (error, address, family) => {
      expect([error, address, family]).toEqual([null, '::1', 6]);
    });
  });
});
