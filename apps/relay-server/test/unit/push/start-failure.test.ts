import { PushStoreError } from '@openchambery/push';
import { describe, expect, it } from 'vitest';
import { describeStartFailure } from '../../../src/push/start-failure.ts';

const target = { host: '127.0.0.1', port: 8788 };

describe('a push relay that does not start', () => {
  it('says which variable names the database', () => {
    const error = new PushStoreError('cannot use the token database /x: it is a directory');
    expect(describeStartFailure(error, target)).toBe(
      'Cannot use the token database /x: it is a directory (OPENCHAMBER_PUSH_RELAY_DATABASE_PATH)',
    );
  });

  it('says which variable names the port', () => {
    const error = Object.assign(new Error('listen'), { code: 'EADDRINUSE' });
    expect(describeStartFailure(error, target)).toBe(
      'Cannot listen on 127.0.0.1:8788: the address is already in use; stop the other program or ' +
        'change --port or OPENCHAMBER_PUSH_RELAY_PORT (EADDRINUSE)',
    );
  });
});
