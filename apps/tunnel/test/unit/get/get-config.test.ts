import { describe, expect, it } from 'vitest';
import { parseCommandLine } from '../../../src/cli/parse-command-line.ts';
import { Settings } from '../../../src/cli/settings.ts';
import { resolveGet } from '../../../src/get/get-config.ts';

function resolve(args: readonly string[], env: Record<string, string> = {}) {
  const line = parseCommandLine(['get', ...args]);
  expect(line.problem).toBeUndefined();
  return resolveGet(new Settings(line, env), line);
}

describe('get', () => {
  it('asks for a path', () => {
    expect(resolve(['LINK', '/a?b=c'])).toEqual({
      linkOperand: 'LINK',
      target: { path: '/a', query: 'b=c' },
      method: 'GET',
      headers: { accept: '*/*' },
      data: undefined,
      output: undefined,
    });
  });

  it('takes the link from its variable when there is one operand', () => {
    expect(resolve(['/a'], { OPENCHAMBER_TUNNEL_LINK: 'x' })).toMatchObject({ linkOperand: undefined });
    expect(resolve(['-', '/a'], { OPENCHAMBER_TUNNEL_LINK: 'x' })).toMatchObject({ linkOperand: '-' });
    expect(() => resolve(['/a'], { OPENCHAMBER_TUNNEL_LINK: ' ' })).toThrow(/^Missing PATH: expected/);
    expect(() => resolve([])).toThrow(/^Missing LINK and PATH: expected/);
  });

  it.each([
    [['--data', 'x'], 'POST', { from: 'text', text: 'x' }],
    [['--data', ''], 'POST', { from: 'text', text: '' }],
    [['--data', '@f', '--method', 'put'], 'PUT', { from: 'file', path: 'f' }],
    [['--data', '-'], 'POST', { from: 'stdin' }],
    [['--data=@-'], 'POST', { from: 'stdin' }],
  ])('%j', (args, method, data) => {
    expect(resolve(['LINK', '/', ...args])).toMatchObject({ method, data });
  });

  it('joins a header that is given twice, and gives way to one that it would set itself', () => {
    const { headers } = resolve(['L', '/', '--header', 'Accept: a', '--header', 'X: 1', '--header', 'x:2']);
    expect(headers).toEqual({ accept: 'a', x: '1, 2' });
  });

  it.each([
    [['L', 'a'], 'Invalid PATH: expected a path that begins with /, percent-encoded, without #, got "a"'],
    [['L', '/', '--data', '@'], 'Invalid --data: expected text, @file or -, got "@"'],
    [['L', '/', '--data'], 'Invalid --data: expected a value'],
    [['L', '/', '--header', 'secret'], "Invalid --header: expected 'name: value'"],
    [
      ['L', '/', '--method', 'A B'],
      'Invalid --method: expected a method such as GET, POST or DELETE, got "A B"',
    ],
    [['-', '/', '--data', '-'], 'Invalid --data: expected text or @file, as stdin has the link already'],
    [['L', '/', '--json'], 'Missing --output: expected with --json, as stdout carries the body otherwise'],
  ])('%j is refused', (args, problem) => {
    expect(() => resolve(args)).toThrow(problem);
  });
});
