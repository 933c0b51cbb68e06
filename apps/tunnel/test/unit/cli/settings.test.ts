import { describe, expect, it } from 'vitest';
import { COMMAND_NAMES, COMMANDS } from '../../../src/cli/commands.ts';
import { describeCrash } from '../../../src/cli/crash.ts';
import { formatHelp, formatOverview } from '../../../src/cli/help-text.ts';
import { describeOldNode } from '../../../src/cli/node-version.ts';
import { parseCommandLine } from '../../../src/cli/parse-command-line.ts';
import { parseRelayUrl } from '../../../src/cli/parse-relay-url.ts';
import { Settings } from '../../../src/cli/settings.ts';
import { createStopSignalHandler } from '../../../src/cli/stop-signals.ts';
import { findUnknownVariables } from '../../../src/cli/unknown-variables.ts';
import { resolveExpose } from '../../../src/expose/expose-config.ts';
import { defaultStateFolder } from '../../../src/state/state-folder.ts';

function settingsOf(argv: readonly string[], env: Record<string, string> = {}): Settings {
  const line = parseCommandLine(argv);
  expect(line.problem).toBeUndefined();
  return new Settings(line, env);
}

describe('a setting', () => {
  const relayOf = (argv: readonly string[], env: Record<string, string>) =>
    settingsOf(['expose', '1', ...argv], env).read('--relay', parseRelayUrl);

  it('comes from the flag, then the variable; a blank variable is unset', () => {
    expect(relayOf(['--relay', 'ws://flag/'], { OPENCHAMBER_RELAY_URL: 'ws://variable/' })).toBe(
      'ws://flag/',
    );
    expect(relayOf([], { OPENCHAMBER_RELAY_URL: 'ws://variable/' })).toBe('ws://variable/');
    for (const blank of ['', ' ', '\t'])
      expect(relayOf([], { OPENCHAMBER_RELAY_URL: blank })).toBeUndefined();
  });

  it('that a flag hides is not looked at', () => {
    expect(relayOf(['--relay', 'ws://flag/'], { OPENCHAMBER_RELAY_URL: 'bad' })).toBe('ws://flag/');
  });

  it('that is wrong is named as it was given, without a password', () => {
    const allowed = 'expected a ws:// or wss:// URL without user, such as wss://relay.example.org/ws';
    expect(() => relayOf(['--relay', 'x'], {})).toThrow(`Invalid --relay: ${allowed}, got "x"`);
    expect(() => relayOf([], { OPENCHAMBER_RELAY_URL: 'x' })).toThrow(
      `Invalid OPENCHAMBER_RELAY_URL: ${allowed}, got "x"`,
    );
    expect(() => relayOf(['--relay', 'ws://a:pw@b/'], {})).toThrow(/^(?!.*pw).*$/);
    expect(() => relayOf(['--relay'], {})).toThrow('Invalid --relay: expected a value');
  });
});

describe('expose', () => {
  const env = { OPENCHAMBER_RELAY_URL: 'ws://r/ws', XDG_CONFIG_HOME: '/config' };

  it('takes paths one by one, or in a row', () => {
    for (const argv of [
      ['3000', '--allow', '/a', '--allow', '/b'],
      ['3000', '--allow', '/a', '/b'],
      ['--allow', '/a', '/b', '3000'],
    ]) {
      expect(resolveExpose(settingsOf(['expose', ...argv], env))).toMatchObject({
        origin: 'http://127.0.0.1:3000',
        allowPaths: ['/a', '/b'],
      });
    }
  });

  it('keeps its state where the system has configuration', () => {
    expect(resolveExpose(settingsOf(['expose', '1'], env)).files.folder).toBe(
      '/config/openchamber-tunnel/default',
    );
    const other = settingsOf(['expose', '1', '--name', 'web', '--state', '/s'], env);
    expect(resolveExpose(other).files.folder).toBe('/s/web');
    expect(defaultStateFolder({ XDG_CONFIG_HOME: 'relative' })).toMatch(/\/\.config\/openchamber-tunnel$/);
  });

  it.each([
    [[], /^Missing ORIGIN: expected a port/],
    [['a', 'b'], /^Unexpected further argument: expected one ORIGIN$/],
    [['/a', '3000'], /^Unexpected path: expected --allow before/],
    [
      ['3000', '--allow', 'a'],
      /^Invalid --allow: expected a path that begins with \/ and has no \? or #, got "a"$/,
    ],
    [['3000', '--name', '../x'], /^Invalid --name: expected/],
  ])('%j is refused', (argv, problem) => {
    expect(() => resolveExpose(settingsOf(['expose', ...argv], env))).toThrow(problem);
  });

  it('needs a relay', () => {
    expect(() => resolveExpose(settingsOf(['expose', '1']))).toThrow(
      'Missing relay: expected --relay or OPENCHAMBER_RELAY_URL, a ws:// or wss:// URL',
    );
  });
});

describe('--help', () => {
  it('names every command, and every flag and variable of each', () => {
    for (const name of COMMAND_NAMES) {
      const help = formatHelp(COMMANDS[name]);
      expect(formatOverview()).toContain(`  ${name} `);
      for (const { flag, variable } of COMMANDS[name].options) {
        expect(help).toContain(flag);
        if (variable !== undefined) expect(help).toContain(variable);
      }
      for (const each of ['--json', '--quiet', '--help', '--version']) expect(help).toContain(each);
    }
  });

  it('stays within 92 columns', () => {
    const texts = [formatOverview(), ...COMMAND_NAMES.map((name) => formatHelp(COMMANDS[name]))];
    for (const line of texts.join('').split('\n')) expect(line.length).toBeLessThanOrEqual(92);
  });
});

describe('around a command', () => {
  it('a variable with our prefix and another name is a typing error', () => {
    expect(
      findUnknownVariables({
        OPENCHAMBER_TUNNEL_LNK: 'secret',
        OPENCHAMBER_TUNNEL_STATE: 'x',
        OPENCHAMBER_TUNNEL_BLANK: ' ',
        OPENCHAMBER_RELAY_URL: 'x',
      }),
    ).toEqual([
      'Warning: unknown environment variable "OPENCHAMBER_TUNNEL_LNK" has no effect; did you mean OPENCHAMBER_TUNNEL_LINK?',
    ]);
  });

  it('Node.js is old below 22', () => {
    expect(describeOldNode('21.9.0')).toBe('openchamber-tunnel needs Node.js 22 or newer; this is 21.9.0');
    expect(describeOldNode('22.0.0')).toBeUndefined();
  });

  it('a crash tells the place and not the message', () => {
    const error = new TypeError('bad link\n    at secret (s=TOPSECRET)');
    expect(describeCrash(error)).toMatch(/: TypeError\n {4}at /);
    expect(describeCrash(error)).not.toContain('TOPSECRET');
    expect(describeCrash('TOPSECRET')).not.toContain('TOPSECRET');
  });

  it('the second signal is told from the echo of the first', () => {
    let now = 0;
    const heard: string[] = [];
    const handle = createStopSignalHandler({
      now: () => now,
      drain: (code) => void heard.push(`drain ${code}`),
      abort: (code) => void heard.push(`abort ${code}`),
    });
    handle('SIGINT');
    now = 99;
    handle('SIGINT');
    handle('SIGTERM');
    now = 100;
    handle('SIGINT');
    expect(heard).toEqual(['drain 130', 'abort 143', 'abort 130']);
  });
});
