import { describe, expect, it } from 'vitest';
import { describeFault } from '../../src/index.ts';

class BodyError extends SyntaxError {
  override readonly name = 'BodyError';
  readonly code = 'ERR_BODY';
}

describe('describeFault', () => {
  it('names class, code and place, and never the message', () => {
    const fault = describeFault(new BodyError('secret\n    at secret (secret:1:1)'));
    expect(fault.error).toBe('BodyError (ERR_BODY)');
    expect(fault.at).toContain('describe-fault.test.ts');
    expect(JSON.stringify(fault)).not.toContain('secret');
  });

  it.each(['secret', 1, null, undefined, { message: 'secret' }])('takes anything: %j', (thrown) => {
    expect(describeFault(thrown)).toEqual({ error: typeof thrown });
  });

  it('does without a stack', () => {
    const error = new Error('secret');
    delete error.stack;
    expect(describeFault(error)).toEqual({ error: 'Error' });
  });
});
