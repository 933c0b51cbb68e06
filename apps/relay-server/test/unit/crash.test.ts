import { describe, expect, it } from 'vitest';
import { describeCrash, describeCrashPlace } from '../../src/cli/crash.ts';

describe('what a crash logs', () => {
  it('is name, code and stack', () => {
    const error = Object.assign(new TypeError('boom'), { code: 'ERR_X' });
    expect(describeCrash(error)).toEqual({ error: 'TypeError', code: 'ERR_X', stack: error.stack });
  });

  it('never carries what Node hangs on an error', () => {
    let thrown: unknown;
    try {
      thrown = new URL('//[bad?sig=SECRET');
    } catch (error) {
      thrown = error;
    }
    expect(JSON.stringify(describeCrash(thrown))).not.toContain('SECRET');
  });

  it('does not repeat a thrown value', () => {
    expect(describeCrash('SECRET')).toEqual({ error: 'string' });
  });
});

describe('what a crash of push logs', () => {
  it('is name, code and the frames of the stack', () => {
    const error = Object.assign(new TypeError('boom'), { code: 'ERR_X' });
    const frames = (error.stack ?? '').split('\n').slice(1).join('\n');
    expect(describeCrashPlace(error)).toEqual({ error: 'TypeError', code: 'ERR_X', stack: frames });
  });

  it.each(['SECRET', 'a\nSECRET', 'a\n    at SECRET (x.js:1:1)', 'Type\n    at SECRET', ''])(
    'never carries the message %j',
    (message) => {
      const description = describeCrashPlace(new TypeError(message));
      expect(JSON.stringify(description)).not.toContain('SECRET');
      expect(description['stack']).toMatch(/^ {4}at .*crash[.]test/);
    },
  );

  it('never carries a message that replaced the first one', () => {
    const error = new TypeError('SECRET 1');
    error.message = 'SECRET 2';
    expect(JSON.stringify(describeCrashPlace(error))).not.toContain('SECRET');
  });

  it('does not repeat a thrown value', () => {
    expect(describeCrashPlace('SECRET')).toEqual({ error: 'string' });
  });
});
