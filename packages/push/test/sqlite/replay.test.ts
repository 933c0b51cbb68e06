import { describe, expect, it } from 'vitest';
import { StoreRig, serverId } from './support.ts';

describe('replay marks', () => {
  it('hold for claims: fresh, repeat, replay', async () => {
    const rig = new StoreRig();
    const mark = rig.mark();
    expect(await rig.store.isMarked(mark)).toBe(false);
    expect(await rig.store.claim(mark)).toEqual({ kind: 'fresh' });
    expect(await rig.store.isMarked(mark)).toBe(true);
    expect(await rig.store.claim(mark)).toEqual({ kind: 'repeat' });
    expect(await rig.store.claim({ ...mark, route: '/other' })).toEqual({ kind: 'replay' });
  });

  it('let one of many at once through', async () => {
    const rig = new StoreRig();
    const mark = rig.mark();
    const verdicts = await Promise.all(Array.from({ length: 100 }, () => rig.store.claim(mark)));
    expect(verdicts.map(({ kind }) => kind)).toEqual([
      'fresh',
      ...Array.from({ length: 99 }, () => 'repeat'),
    ]);
  });

  it('survive a restart, until replayMs after they were made by the wall clock', async () => {
    const rig = new StoreRig();
    const mark = rig.mark();
    await rig.store.claim(mark);
    rig.clock.advance(rig.limits.replayMs);
    await rig.reopen();
    expect(await rig.store.claim(mark)).toEqual({ kind: 'repeat' });
    await rig.store.close();
    rig.clock.advance(1);
    await rig.reopen();
    expect(rig.store.counts().replayMarkCount).toBe(0);
    expect(rig.query('SELECT * FROM replay_marks')).toEqual([]);
    expect(await rig.store.claim(mark)).toEqual({ kind: 'fresh' });
  });

  it('leave the file as they age', async () => {
    const rig = new StoreRig();
    for (let i = 0; i < 5; i++) await rig.store.claim(rig.mark());
    rig.clock.advance(rig.limits.replayMs + 1);
    await rig.store.claim(rig.mark());
    expect(rig.query('SELECT count(*) AS n FROM replay_marks')).toEqual([{ n: 1 }]);
    expect(rig.store.counts().replayMarkCount).toBe(1);
  });

  it('that made room are refused by their floor, after a restart too', async () => {
    const rig = new StoreRig({ limits: { maxReplayEntries: 2 } });
    const lost = rig.mark('A');
    await rig.store.claim(lost);
    rig.clock.advance(10);
    await rig.store.claim(rig.mark('A'));
    expect(await rig.store.claim(rig.mark('B', { ip: '192.0.2.2' }))).toEqual({ kind: 'fresh' });
    for (let i = 0; i < 2; i++) {
      expect(await rig.store.isMarked(lost)).toBe(true);
      expect(await rig.store.claim(lost)).toEqual({ kind: 'replay' });
      expect(await rig.store.isMarked(rig.mark('A', { ts: lost.ts + 1 }))).toBe(false);
      await rig.reopen();
    }
    expect(rig.query('SELECT server_id FROM replay_floors')).toEqual([{ server_id: serverId('A') }]);
    rig.clock.advance(rig.limits.replayMs + 1);
    await rig.store.claim(rig.mark());
    expect(rig.query('SELECT server_id FROM replay_floors')).toEqual([]);
    expect(await rig.store.isMarked(lost)).toBe(false);
  });

  it('stay in the file with their floors when they cannot be deleted, until they can', async () => {
    const rig = new StoreRig({ limits: { maxReplayEntries: 2 } });
    for (let i = 0; i < 2; i++) await rig.store.claim(rig.mark('A'));
    await rig.store.claim(rig.mark('B', { ip: '192.0.2.2' }));
    rig.query(
      `CREATE TRIGGER refuse BEFORE DELETE ON replay_floors BEGIN SELECT RAISE(ABORT, 'refused'); END`,
    );
    rig.clock.advance(rig.limits.replayMs + 1);
    const count = 'SELECT (SELECT count(*) FROM replay_marks) + (SELECT count(*) FROM replay_floors) AS n';
    for (let i = 0; i < 2; i++) {
      await expect(rig.store.claim(rig.mark())).rejects.toThrow(/push[.]sqlite/);
      expect(rig.query(count)).toEqual([{ n: 3 }]);
    }
    rig.query('DROP TRIGGER refuse');
    await rig.store.claim(rig.mark());
    expect(rig.query(count)).toEqual([{ n: 1 }]);
  });

  it('are as many as the file holds: in memory and on disk the same, also with a lower limit', async () => {
    const rig = new StoreRig();
    const marks = Array.from({ length: 10 }, (_, i) => rig.mark(`server ${i % 3}`, { ip: `ip ${i % 2}` }));
    await Promise.all(marks.map((mark) => rig.store.claim(mark)));
    await rig.reopen({ maxReplayEntries: 4 });
    expect(rig.store.counts().replayMarkCount).toBe(4);
    expect(rig.query('SELECT count(*) AS n FROM replay_marks')).toEqual([{ n: 4 }]);
    for (const mark of marks) expect(await rig.store.isMarked(mark)).toBe(true);
  });
});
