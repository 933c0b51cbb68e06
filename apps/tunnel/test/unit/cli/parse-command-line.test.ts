import { describe, expect, it } from 'vitest';
import { parseCommandLine } from '../../../src/cli/parse-command-line.ts';

const problemOf = (...argv: string[]): string | undefined => parseCommandLine(argv).problem?.message;

describe('a command line', () => {
  it('has a command, operands, flags with values and switches', () => {
    const line = parseCommandLine(['expose', '3000', '--relay', 'ws://r/ws', '--name=web', '--json', '-q']);
    expect(line.problem).toBeUndefined();
    expect(line.command?.name).toBe('expose');
    expect(line.operands).toEqual(['3000']);
    expect([line.json, line.quiet, line.help, line.version]).toEqual([true, true, false, false]);
    expect(line.flags.get('--relay')).toEqual(['ws://r/ws']);
    expect(line.flags.get('--name')).toEqual(['web']);
  });

  it('may have switches before the command', () => {
    const line = parseCommandLine(['--json', '-q', 'pairs']);
    expect([line.command?.name, line.json, line.quiet, line.problem]).toEqual([
      'pairs',
      true,
      true,
      undefined,
    ]);
  });

  it('keeps every value of a flag that is given again, in order', () => {
    const line = parseCommandLine(['expose', '--allow', '/a', '1', '--allow', '/b']);
    expect(line.flags.get('--allow')).toEqual(['/a', '/b']);
    expect(line.operands).toEqual(['1']);
  });

  it('takes - as an operand and as a value', () => {
    const line = parseCommandLine(['get', '-', '/x', '--data', '-']);
    expect([line.operands, line.flags.get('--data'), line.problem]).toEqual([['-', '/x'], ['-'], undefined]);
  });

  it('knows a flag that only takes something away', () => {
    expect(parseCommandLine(['expose', '1', '--no-secret']).flags.has('--no-secret')).toBe(true);
    expect(parseCommandLine(['expose', '1']).flags.has('--no-secret')).toBe(false);
  });

  it('does not take the next flag for a missing value', () => {
    const line = parseCommandLine(['expose', '1', '--relay', '--json']);
    expect([line.flags.get('--relay'), line.json]).toEqual([[undefined], true]);
  });
});

describe('what is refused', () => {
  it.each([
    [
      ['expos'],
      'Unknown command "expos": expected one of expose, connect, get, pair, pairs, revoke; did you mean expose?',
    ],
    [
      ['--listen', '1', 'connect'],
      'Unexpected "--listen": expected a command first, one of expose, connect, get, pair, pairs, revoke',
    ],
    [
      ['pairs', '--lable'],
      'Unknown option "--lable": expected one of --name, --state, --json, --quiet, --help, --version',
    ],
    [
      ['pairs', '--nam', 'x'],
      'Unknown option "--nam": expected one of --name, --state, --json, --quiet, --help, --version; did you mean --name?',
    ],
    [['pairs', 'phone'], 'Unexpected argument "phone": expected openchamber-tunnel pairs [options]'],
    [['pair', 'a', 'b'], 'Unexpected argument "b": expected openchamber-tunnel pair [LABEL] [options]'],
    [['expose', '1', '--json=yes'], 'Invalid --json: expected no value'],
  ])('%j', (argv, problem) => {
    expect(problemOf(...argv)).toBe(problem);
  });

  it('repeats nothing of a link or of a value', () => {
    const link = 'openchamber://pair#v=1&s=TOPSECRET';
    for (const argv of [[link], ['pairs', link], ['connect', 'x', link], ['pairs', `--token=TOPSECRET`]]) {
      expect(problemOf(...argv)).toBeDefined();
      expect(problemOf(...argv)).not.toContain('TOPSECRET');
    }
  });

  it('is printable, whatever was given', () => {
    expect(problemOf('pairs', '\u202eabc\n')).toMatch(/^[\x20-\x7e]+$/);
  });

  it('still knows whether --json was asked for', () => {
    expect(parseCommandLine(['pairs', '--x', '--json'])).toMatchObject({ json: true });
  });
});
