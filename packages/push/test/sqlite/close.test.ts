import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { PushStoreError } from '../../src/binding/store-error.ts';
import { StoreRig, serverId, token } from './support.ts';

describe('close', () => {
  it('commits what waits, and leaves one file', async () => {
    const rig = new StoreRig();
    const waiting = Array.from({ length: 300 }, (_, i) => rig.store.register(rig.registration(i)));
    await rig.store.close();
    expect(new Set((await Promise.all(waiting)).map(({ kind }) => kind))).toEqual(new Set(['bound']));
    expect(existsSync(`${rig.path}-wal`)).toBe(false);
    expect((await rig.reopen()).counts()).toEqual({ bindingCount: 300, replayMarkCount: 300 });
  });

  it('may be called again', async () => {
    const { store } = new StoreRig();
    await Promise.all([store.close(), store.close()]);
    await store.close();
  });

  it('makes every other method reject, but for counts', async () => {
    const rig = new StoreRig();
    await rig.store.register(rig.registration('t'));
    const { store } = rig;
    await store.close();
    const calls = [
      store.register(rig.registration('t')),
      store.unregister(rig.unregistration('t')),
      store.claim(rig.mark()),
      store.isMarked(rig.mark()),
      store.find(serverId('S'), [token('t')]),
      store.settle([]),
      store.lastAcceptedAtMs('sandbox', 'x'),
    ];
    for (const call of calls) {
      await expect(call).rejects.toThrow(PushStoreError);
      await expect(call).rejects.toThrow(/push[.]sqlite has been closed/);
    }
    expect(store.counts().bindingCount).toBe(1);
  });
});
