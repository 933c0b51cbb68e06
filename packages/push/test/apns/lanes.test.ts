import { afterEach, describe, expect, it } from 'vitest';
import { makeNotification, type Rig, startRig } from './rig.ts';

let rig: Rig | undefined;

afterEach(async () => {
  await rig?.close();
  rig = undefined;
});

describe('Live Activities that the key is not allowed', () => {
  it('do not stop alerts, which it is', async () => {
    rig = await startRig({});
    for (let i = 0; i < 10; i++) {
      const push = makeNotification(rig.clock, { kind: 'liveactivity' });
      rig.apns.script(push.token, { status: 400, reason: 'TopicDisallowed' });
      expect(await rig.provider.send(push)).toMatchObject({ kind: 'configuration-fault' });
    }
    expect(await rig.send()).toEqual({ kind: 'accepted' });
  });
});
