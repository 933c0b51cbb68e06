import { describe, expect, it } from 'vitest';
import { describeCrash } from '../../src/cli/crash.ts';

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
