import type { Logger } from '@openchambery/daemon';
import { silentLogger } from '@openchambery/daemon';
import { FakeClock } from '@openchambery/testkit';
import { describe, expect, it } from 'vitest';
import { PushStoreError } from '../../src/binding/store-error.ts';
import { FaultLog } from '../../src/sqlite/fault-log.ts';
import { SQLITE } from '../../src/sqlite/sqlite-fault.ts';
import { StoreRig, serverId, token } from './support.ts';

function recordingLogger(): { logger: Logger; lines: Record<string, unknown>[] } {
  const lines: Record<string, unknown>[] = [];
  return { logger: { ...silentLogger, error: (fields) => void lines.push(fields) }, lines };
}

function fault(errcode: number): Error {
  return Object.assign(new Error('about a token'), { errcode });
}

describe('FaultLog', () => {
  it('writes a line per kind and minute, and then says how many it left out', () => {
    const clock = new FakeClock();
    const { logger, lines } = recordingLogger();
    const log = new FaultLog('/the/file', { clock, logger });
    for (let i = 0; i < 100; i++) {
      // The extended code, SQLITE_IOERR_WRITE, is of the same kind.
      log.report(fault(SQLITE.IOERR | (3 << 8)));
      log.report(fault(SQLITE.FULL));
    }
    log.report(new TypeError('a bug'));
    const file = '/the/file';
    expect(lines).toEqual([
      { fault: 'SQLITE_IOERR', file, suppressed: 0 },
      { fault: 'SQLITE_FULL', file, suppressed: 0 },
      { fault: 'BUG', file, suppressed: 0 },
    ]);
    clock.advance(59_999);
    log.report(fault(SQLITE.FULL));
    expect(lines).toHaveLength(3);
    clock.advance(1);
    log.report(fault(SQLITE.FULL));
    expect(lines.slice(3)).toEqual([{ fault: 'SQLITE_FULL', file, suppressed: 100 }]);
  });
});

describe('a database that another tool has broken', () => {
  it('makes requests fail with its name, is reported once, and says no token', async () => {
    const { logger, lines } = recordingLogger();
    const rig = new StoreRig({ logger });
    await rig.store.register(rig.registration('t'));
    rig.query('ALTER TABLE bindings RENAME TO elsewhere');
    const mark = rig.mark();
    const calls = await Promise.allSettled([
      rig.store.find(serverId('S'), [token('t')]),
      rig.store.register(rig.registration('u')),
      rig.store.claim(mark),
      rig.store.find(serverId('S'), [token('t')]),
    ]);
    for (const call of calls) {
      expect(call).toMatchObject({ status: 'rejected', reason: expect.any(PushStoreError) });
      expect(call).toMatchObject({ reason: { message: expect.stringContaining(rig.path) } });
    }
    expect(lines).toHaveLength(1);
    expect(JSON.stringify(lines)).not.toContain(token('t'));
    rig.query('ALTER TABLE elsewhere RENAME TO bindings');
    expect(await rig.store.claim(mark)).toEqual({ kind: 'fresh' });
    expect((await rig.store.find(serverId('S'), [token('t')])).size).toBe(1);
  });
});
