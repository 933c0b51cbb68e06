import { systemClock } from '@openchambery/wire';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { describeValue, silentLogger } from '@openchambery/daemon';
import { RelayOptionError } from '../src/relay-option-error.ts';
import { resolveRelayOptions } from '../src/options.ts';
import type { RelayServerOptions } from '../src/options.ts';

function faultOf(options: RelayServerOptions): RelayOptionError {
  try {
    resolveRelayOptions(options);
  } catch (error) {
    if (error instanceof RelayOptionError) {
      return error;
    }
    throw error;
  }
  throw new Error(`accepted ${JSON.stringify(options)}`);
}

describe('resolveRelayOptions', () => {
  it('fills in everything that is not given', () => {
    const options = resolveRelayOptions();
    expect(options).toMatchObject({ host: '127.0.0.1', port: 8787, path: '/ws', trustProxy: false });
    expect(options.publicUrl).toBeUndefined();
    expect(options.limits.maxFrameBytes).toBe(131_072);
    expect(options.clock).toBe(systemClock);
    expect(options.logger).toBe(silentLogger);
    expect(options.randomBytes(16)).toHaveLength(16);
    expect(options.mounts).toEqual([]);
  });

  it('names the option, what is allowed and what it got', () => {
    const error = faultOf({ port: 65_536 });
    expect(error).toMatchObject({
      name: 'RelayOptionError',
      code: 'ERR_RELAY_OPTION',
      option: 'port',
      expected: 'an integer from 0 to 65535',
      got: '65536',
      message: 'Invalid option port: expected an integer from 0 to 65535, got 65536',
    });
  });

  it('passes the fault of a limit through', () => {
    expect(faultOf({ limits: { maxHosts: 0 } }).option).toBe('maxHosts');
  });
});

describe('port', () => {
  it.each([0, 1, 65_535])('may be %d', (port) => {
    expect(resolveRelayOptions({ port }).port).toBe(port);
  });

  it.each([-1, 65_536, 80.5, Number.NaN, Number.POSITIVE_INFINITY])('may not be %d', (port) => {
    expect(faultOf({ port }).option).toBe('port');
  });
});

describe('listenFd', () => {
  it('is nothing unless it is given', () => {
    expect(resolveRelayOptions().listenFd).toBeUndefined();
  });

  it.each([3, 4, 2_147_483_647])('may be %d', (listenFd) => {
    expect(resolveRelayOptions({ listenFd }).listenFd).toBe(listenFd);
  });

  it.each([2, 0, -1, 3.5, 2_147_483_648, Number.NaN])('may not be %d', (listenFd) => {
    expect(faultOf({ listenFd })).toMatchObject({
      option: 'listenFd',
      expected: 'the file descriptor of a listening TCP socket, 3 or more',
    });
  });
});

describe('mounts', () => {
  const mount = { owns: () => true, handle: () => undefined };

  it('may be services', () => {
    expect(resolveRelayOptions({ mounts: [mount, mount] }).mounts).toEqual([mount, mount]);
  });

  it.each([mount, [{}], [null], [undefined], [{ owns: mount.owns }], [mount, { handle: mount.handle }], 'x'])(
    'may not be %j',
    (mounts) => {
      expect(faultOf({ mounts: mounts as never }).option).toBe('mounts');
    },
  );
});

describe('host', () => {
  it.each(['::', '::1', '0.0.0.0', 'localhost', 'relay_1.internal', 'fe80::1%eth0', 'a'.repeat(255)])(
    'may be %s',
    (host) => {
      expect(resolveRelayOptions({ host }).host).toBe(host);
    },
  );

  it.each(['', ' ', '[::1]', '--json', 'a/b', 'a b', 'a\n', 'ä', 'a'.repeat(256)])(
    'may not be %j',
    (host) => {
      expect(faultOf({ host }).option).toBe('host');
    },
  );
});

describe('path', () => {
  it.each(['/', '/ws', '/a/b//c', '/healthz/', '/readyz2', '/%20', '/~!$&()*+,;=:@'])('may be %s', (path) => {
    expect(resolveRelayOptions({ path }).path).toBe(path);
  });

  it.each(['', 'ws', '/a b', '/a?b', '/a#b', '/a\u0000', '/\u007f', '/ä', '/healthz', '/readyz'])(
    'may not be %j',
    (path) => {
      expect(faultOf({ path }).option).toBe('path');
    },
  );

  it.each(['/.', '/a/../b', '/%2e/b', '/a\\b', '/"', '/<', '/{a}', '/a^'])(
    'may not be %s, which no URL parser would ask for',
    (path) => {
      expect(faultOf({ path }).option).toBe('path');
    },
  );

  it('that is accepted is what a client asks for', () => {
    fc.assert(
      fc.property(fc.string(), (tail) => {
        const path = `/${tail}`;
        try {
          resolveRelayOptions({ path });
        } catch {
          return;
        }
        const url = new URL(`wss://relay.example${path}?v=1`);
        expect(url.pathname).toBe(path);
        expect(url.search).toBe('?v=1');
      }),
      { numRuns: 1000 },
    );
  });
});

describe('publicUrl', () => {
  it.each([
    'ws://relay/ws',
    'wss://relay.example:8443/ws',
    'WSS://Relay.Example/ws',
    'ws://[::1]:8787/ws',
    'ws://192.0.2.1/ws',
  ])('may be %s', (publicUrl) => {
    expect(resolveRelayOptions({ publicUrl }).publicUrl).toBe(publicUrl);
  });

  it.each([
    '',
    'relay.example/ws',
    'https://relay.example/ws',
    'ws:/relay/ws',
    'ws:///ws',
    'ws://user@relay/ws',
    'ws://user:secret@relay/ws',
    'ws://@relay/ws',
    'ws://relay/ws?',
    'ws://relay/ws?a=1',
    'ws://relay/ws#',
    'ws://::1:8787/ws',
    'ws://[::1/ws',
    'ws://relay:65536/ws',
    'ws://relay\\x/ws',
    ' ws://relay/ws',
    'ws://re\tlay/ws',
    'ws://relay/ws\n',
  ])('may not be %j', (publicUrl) => {
    expect(faultOf({ publicUrl }).option).toBe('publicUrl');
  });

  it.each([
    'ws://relay',
    'ws://relay/',
    'ws://relay/ws/',
    'ws://relay/other',
    'ws://relay/x/../ws',
    'ws://relay/%77s',
  ])('must carry the very path of the relay, which %s does not', (publicUrl) => {
    expect(faultOf({ publicUrl })).toMatchObject({ option: 'publicUrl', related: 'path' });
  });

  it('may leave out the path when the path is /', () => {
    expect(resolveRelayOptions({ path: '/', publicUrl: 'ws://relay' }).publicUrl).toBe('ws://relay');
    expect(resolveRelayOptions({ path: '/', publicUrl: 'ws://relay/' }).publicUrl).toBe('ws://relay/');
  });

  it('that is accepted is a URL with nothing but scheme, host and path', () => {
    const parts = fc.array(
      fc.constantFrom('ws:', 'wss:', '//', '/', 'ws', 'h', '@', ':', '1', '[::1]', '?', '#', '\\', '.', '%'),
      { maxLength: 8 },
    );
    fc.assert(
      fc.property(parts, (chosen) => {
        const publicUrl = `${chosen.join('')}/ws`;
        try {
          resolveRelayOptions({ publicUrl });
        } catch {
          return;
        }
        const url = new URL(publicUrl);
        expect([url.pathname, url.username, url.password, url.search, url.hash]).toEqual([
          '/ws',
          '',
          '',
          '',
          '',
        ]);
      }),
      { numRuns: 5000 },
    );
  });
});

describe('trustProxy', () => {
  it('is true or false and nothing that looks like it', () => {
    expect(resolveRelayOptions({ trustProxy: true }).trustProxy).toBe(true);
    const untyped: Record<string, unknown> = { trustProxy: 'true' };
    expect(faultOf(untyped).option).toBe('trustProxy');
  });
});

describe('describeValue', () => {
  it('shows text in double quotes and everything else plainly', () => {
    expect([describeValue('0'), describeValue(0), describeValue(undefined), describeValue([1])]).toEqual([
      '"0"',
      '0',
      'undefined',
      'an array',
    ]);
  });

  it('cuts what is longer than a message can bear', () => {
    expect(describeValue('x'.repeat(80))).toBe(`"${'x'.repeat(80)}"`);
    expect(describeValue('x'.repeat(81))).toBe(`"${'x'.repeat(80)}"... (81 characters)`);
  });

  it('never leaves one line of printable ASCII', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        expect(describeValue(text)).toMatch(/^[\x20-\x7e]{2,520}$/);
      }),
    );
  });
});
