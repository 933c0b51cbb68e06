import { resolveRelayOptions } from '@openchambery/relay';
import { describe, expect, it } from 'vitest';
import { describeListenFailure } from '../../src/cli/listen-failure.ts';
import type { ListenTarget } from '../../src/cli/listen-failure.ts';
import { reportFailure, reportStarted } from '../../src/cli/startup-report.ts';
import type { Output, ReportStyle } from '../../src/cli/startup-report.ts';
import { announceRelay, relayUrl } from '../../src/relay/announcement.ts';
import type { RelayConfig } from '../../src/relay/resolve-config.ts';

function config(changes: Partial<RelayConfig> = {}): RelayConfig {
  const { limits } = resolveRelayOptions();
  return {
    host: '127.0.0.1',
    port: 8787,
    path: '/ws',
    publicUrl: undefined,
    trustProxy: false,
    limits,
    logLevel: 'info',
    ...changes,
  };
}

function capture(report: (output: Output) => void): {
  out: string;
  err: string;
} {
  const written = { out: '', err: '' };
  report({
    stdout: (text) => {
      written.out += text;
    },
    stderr: (text) => {
      written.err += text;
    },
  });
  return written;
}

function reportListening(output: Output, style: ReportStyle, config: RelayConfig): void {
  reportStarted(output, style, announceRelay(config, 'absent'));
}

const PLAIN: ReportStyle = { json: false, quiet: false };

describe('the address of the relay', () => {
  it.each([
    [{}, 'ws://127.0.0.1:8787/ws'],
    [{ host: '::1', port: 80, path: '/' }, 'ws://[::1]:80/'],
    [{ host: 'fe80::1%eth0' }, 'ws://[fe80::1%25eth0]:8787/ws'],
    [{ publicUrl: 'wss://relay.example/ws' }, 'wss://relay.example/ws'],
  ])('for %j is %s', (changes, url) => {
    expect(relayUrl(config(changes))).toBe(url);
  });
});

describe('a relay that listens', () => {
  it('says so in one line on stdout', () => {
    const written = capture((output) => reportListening(output, PLAIN, config()));
    expect(written).toEqual({ out: 'Relay listening at ws://127.0.0.1:8787/ws\n', err: '' });
  });

  it('says nothing with --quiet', () => {
    const written = capture((output) => reportListening(output, { json: false, quiet: true }, config()));
    expect(written).toEqual({ out: '', err: '' });
  });

  it.each([false, true])('prints exactly one line of JSON with --json, quiet or not (%j)', (quiet) => {
    const written = capture((output) =>
      reportListening(output, { json: true, quiet }, config({ host: '::' })),
    );
    expect(written.out).toBe(
      '{"status":"ok","url":"ws://[::]:8787/ws","host":"::","port":8787,"path":"/ws"}\n',
    );
  });
});

describe('a relay that does not start', () => {
  it('says why in one line on stderr, quiet or not', () => {
    const written = capture((output) => reportFailure(output, { json: false, quiet: true }, 'No "luck".'));
    expect(written).toEqual({ out: '', err: 'No "luck".\n' });
  });

  it('says it in JSON on stdout as well with --json', () => {
    const written = capture((output) => reportFailure(output, { json: true, quiet: false }, 'No "luck".'));
    expect(written).toEqual({ out: '{"status":"error","error":"No \\"luck\\"."}\n', err: 'No "luck".\n' });
  });
});

describe('a listen error', () => {
  function target(changes: Partial<RelayConfig> = {}): ListenTarget {
    return { ...config(changes), prefix: 'OPENCHAMBER_RELAY_SERVER_' };
  }

  function failure(code: string): Error {
    return Object.assign(new Error(`listen ${code}: bad\nluck 127.0.0.1:80`), { code });
  }

  it.each(['EADDRINUSE', 'EACCES'])('%s names the address and the port setting', (code) => {
    const line = describeListenFailure(failure(code), target());
    expect(line).toMatch(
      /^Cannot listen on 127\.0\.0\.1:8787: .*--port or OPENCHAMBER_RELAY_SERVER_PORT \(E[A-Z]+\)$/,
    );
  });

  it.each(['EADDRNOTAVAIL', 'EAFNOSUPPORT', 'ENOTFOUND', 'EAI_AGAIN', 'EINVAL'])(
    '%s names the address and the host setting',
    (code) => {
      const line = describeListenFailure(failure(code), target({ host: '::2' }));
      expect(line).toMatch(
        /^Cannot listen on \[::2\]:8787: .*--host or OPENCHAMBER_RELAY_SERVER_HOST \(E[A-Z_]+\)$/,
      );
    },
  );

  it('of an unknown kind stays one line', () => {
    expect(describeListenFailure(failure('EMFILE'), target())).toBe(
      'Cannot listen on 127.0.0.1:8787: listen EMFILE: bad luck 127.0.0.1:80 (EMFILE)',
    );
    expect(describeListenFailure('?', target())).toBe('Cannot listen on 127.0.0.1:8787: unknown error');
  });

  it.each([
    [failure('EINVAL'), 'EINVAL'],
    [new Error('no  code\nat all'), 'no code at all'],
  ])('speaks of the socket where it came from systemd', (error, reason) => {
    expect(describeListenFailure(error, { ...target(), listenFd: 3 })).toBe(
      'Cannot listen on file descriptor 3 (LISTEN_FDS): expected a listening TCP socket, as ListenStream= makes ' +
        `(${reason})`,
    );
  });
});
