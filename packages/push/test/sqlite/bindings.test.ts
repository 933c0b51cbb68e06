import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import type { Binding } from '../../src/binding/binding.ts';
import { StoreRig, serverId, token } from './support.ts';

async function findOne(rig: StoreRig, name: string, server = 'S'): Promise<Binding> {
  const binding = (await rig.store.find(serverId(server), [token(name)])).get(token(name));
  if (binding === undefined) throw new Error(`${name} is not bound to ${server}`);
  return binding;
}

describe('register', () => {
  it('binds a token to its server', async () => {
    const rig = new StoreRig();
    expect(await rig.store.register(rig.registration('t', 'S', { kind: 'liveactivity' }))).toEqual({
      kind: 'bound',
    });
    const now = rig.clock.epochMs();
    expect(await findOne(rig, 't')).toEqual({
      token: token('t'),
      serverId: serverId('S'),
      platform: 'ios',
      kind: 'liveactivity',
      environment: undefined,
      registeredAtMs: now,
      updatedAtMs: now,
      refusals: undefined,
    });
    expect(rig.store.counts()).toEqual({ bindingCount: 1, replayMarkCount: 1 });
  });

  it('lets the last registration win', async () => {
    const rig = new StoreRig();
    await rig.store.register(rig.registration('t', 'A'));
    await rig.store.register(rig.registration('t', 'B'));
    expect(await rig.store.find(serverId('A'), [token('t')])).toEqual(new Map());
    expect((await findOne(rig, 't', 'B')).serverId).toBe(serverId('B'));
    expect(rig.store.counts().bindingCount).toBe(1);
  });

  it('changes nothing when the very same registration comes again', async () => {
    const rig = new StoreRig();
    const first = rig.registration('t', 'A');
    await rig.store.register(first);
    await rig.store.register(rig.registration('t', 'B'));
    expect(await rig.store.register(first)).toEqual({ kind: 'repeat' });
    expect((await findOne(rig, 't', 'B')).serverId).toBe(serverId('B'));
  });

  it('refuses a text that another route has had, and binds nothing', async () => {
    const rig = new StoreRig();
    const mark = rig.mark();
    await rig.store.claim(mark);
    const replayed = rig.registration('t', 'S', { mark: { ...mark, route: '/other' } });
    expect(await rig.store.register(replayed)).toEqual({ kind: 'replay' });
    expect(rig.store.counts().bindingCount).toBe(0);
  });

  it('takes maxTokens tokens, and one more only when it is known', async () => {
    const rig = new StoreRig({ limits: { maxTokens: 2 } });
    for (const name of ['a', 'b'])
      expect((await rig.store.register(rig.registration(name))).kind).toBe('bound');
    expect(await rig.store.register(rig.registration('c'))).toEqual({ kind: 'token-limit' });
    expect((await rig.store.register(rig.registration('a', 'B'))).kind).toBe('bound');
    await rig.store.unregister(rig.unregistration('b'));
    expect(await rig.store.register(rig.registration('c'))).toEqual({ kind: 'bound' });
    expect((await rig.reopen()).counts().bindingCount).toBe(2);
    expect((await rig.store.register(rig.registration('d'))).kind).toBe('token-limit');
  });

  it('refuses what it has refused for want of room again, whoever has the token by then', async () => {
    const rig = new StoreRig({ limits: { maxTokens: 1 } });
    await rig.store.register(rig.registration('other', 'B'));
    const refused = rig.registration('t', 'A');
    expect(await rig.store.register(refused)).toEqual({ kind: 'token-limit' });
    await rig.store.unregister(rig.unregistration('other', 'B'));
    await rig.store.register(rig.registration('t', 'C'));
    for (let i = 0; i < 2; i++) {
      expect(await rig.store.register(refused)).toEqual({ kind: 'token-limit' });
      await rig.reopen();
    }
    const elsewhere = { ...refused, mark: { ...refused.mark, route: '/other' } };
    expect(await rig.store.register(elsewhere)).toEqual({ kind: 'replay' });
    expect((await findOne(rig, 't', 'C')).serverId).toBe(serverId('C'));
    rig.clock.advance(rig.limits.replayMs + 1);
    expect(await rig.store.register(refused)).toEqual({ kind: 'bound' });
  });

  it('says full to the server that fills the table, and binds nothing', async () => {
    const rig = new StoreRig({ limits: { maxReplayEntries: 2 } });
    await rig.store.register(rig.registration('a'));
    rig.clock.advance(1000);
    await rig.store.register(rig.registration('b'));
    expect(await rig.store.register(rig.registration('c'))).toEqual({ kind: 'full', retryAfterMs: 599_001 });
    expect(rig.store.counts()).toEqual({ bindingCount: 2, replayMarkCount: 2 });
  });

  it('dates every registration of a token later than the one before', async () => {
    const rig = new StoreRig();
    const start = rig.clock.epochMs();
    const dates: number[] = [];
    for (const jumpMs of [0, 0, -5000, 6000]) {
      rig.clock.jumpEpoch(jumpMs);
      await rig.store.register(rig.registration('t'));
      dates.push((await findOne(rig, 't')).registeredAtMs - start);
    }
    expect(dates).toEqual([0, 1, 2, 1000]);
    await rig.store.unregister(rig.unregistration('t'));
    await rig.store.register(rig.registration('t'));
    expect((await findOne(rig, 't')).registeredAtMs - start).toBe(1001);
  });

  it.each([
    [60_000, 60_001],
    [60_001, 0],
  ])(
    'dates it anew when the one before was made by a clock that was %d ms ahead',
    async (aheadMs, laterMs) => {
      const rig = new StoreRig();
      const start = rig.clock.epochMs();
      rig.clock.jumpEpoch(aheadMs);
      await rig.store.register(rig.registration('t'));
      rig.clock.setEpoch(start);
      await rig.store.register(rig.registration('t'));
      expect((await findOne(rig, 't')).registeredAtMs).toBe(start + laterMs);
    },
  );

  it('forgets refusals, and keeps what took the token before', async () => {
    const rig = new StoreRig();
    await rig.store.register(rig.registration('t'));
    const environment = 'production';
    await rig.store.settle([{ kind: 'moved', binding: await findOne(rig, 't'), environment, topic: 'x' }]);
    await rig.store.settle([{ kind: 'refused', binding: await findOne(rig, 't') }]);
    await rig.store.register(rig.registration('t', 'B'));
    expect(await findOne(rig, 't', 'B')).toMatchObject({ environment, refusals: undefined });
  });
});

describe('unregister', () => {
  it('forgets a token of its server', async () => {
    const rig = new StoreRig();
    await rig.store.register(rig.registration('t'));
    const request = rig.unregistration('t');
    expect(await rig.store.unregister(request)).toEqual({ kind: 'removed' });
    expect(await rig.store.unregister(request)).toEqual({ kind: 'repeat' });
    expect(rig.store.counts()).toEqual({ bindingCount: 0, replayMarkCount: 2 });
  });

  it('knows nothing of a token that is not bound, and marks the text', async () => {
    const rig = new StoreRig();
    const request = rig.unregistration('t');
    expect(await rig.store.unregister(request)).toEqual({ kind: 'unknown-token' });
    expect(await rig.store.isMarked(request.mark)).toBe(true);
  });

  it('leaves the token of another server alone, and with the same text for good', async () => {
    const rig = new StoreRig();
    await rig.store.register(rig.registration('t', 'A'));
    const request = rig.unregistration('t', 'B');
    expect(await rig.store.unregister(request)).toEqual({ kind: 'not-yours' });
    expect(rig.store.counts()).toEqual({ bindingCount: 1, replayMarkCount: 2 });
    await rig.store.register(rig.registration('t', 'B'));
    expect(await rig.store.unregister(request)).toEqual({ kind: 'not-yours' });
    expect(await rig.store.unregister(rig.unregistration('t', 'B'))).toEqual({ kind: 'removed' });
  });
});

describe('find', () => {
  it('gives the tokens of that server and no others', async () => {
    const rig = new StoreRig();
    await rig.store.register(rig.registration('a', 'A'));
    await rig.store.register(rig.registration('b', 'A'));
    await rig.store.register(rig.registration('c', 'B'));
    const found = await rig.store.find(serverId('A'), ['a', 'c', 'unknown', 'a'].map(token));
    expect([...found.keys()]).toEqual([token('a')]);
  });
});

describe('settle', () => {
  it.each([
    ['accepted', undefined],
    ['moved', 'sandbox'],
  ] as const)('voids refusals and remembers where the token moved: %s', async (kind, environment) => {
    const rig = new StoreRig();
    await rig.store.register(rig.registration('t'));
    const binding = await findOne(rig, 't');
    const { registeredAtMs } = binding;
    for (let i = 1; i <= 3; i++) {
      rig.clock.advance(1000);
      await rig.store.settle([{ kind: 'refused', binding }]);
      expect((await findOne(rig, 't')).refusals).toEqual({ count: i, firstAtMs: registeredAtMs + 1000 });
    }
    await rig.store.settle([{ kind, binding, environment: 'sandbox', topic: 'x' }]);
    expect(await findOne(rig, 't')).toEqual({ ...binding, environment, updatedAtMs: registeredAtMs + 3000 });
    rig.clock.advance(1);
    await rig.store.settle([{ kind, binding, environment: 'sandbox', topic: 'x' }]);
    expect((await findOne(rig, 't')).updatedAtMs).toBe(registeredAtMs + 3000);
  });

  it('dates the first refusal no later than the last', async () => {
    const rig = new StoreRig();
    await rig.store.register(rig.registration('t'));
    const binding = await findOne(rig, 't');
    for (const jumpMs of [1e12, -1e12]) {
      rig.clock.jumpEpoch(jumpMs);
      await rig.store.settle([{ kind: 'refused', binding }]);
    }
    const firstAtMs = rig.clock.epochMs();
    expect((await findOne(rig, 't')).refusals).toEqual({ count: 2, firstAtMs });
  });

  it('needs no transaction for an acceptance that is no news', async () => {
    const rig = new StoreRig();
    await rig.store.register(rig.registration('t'));
    const binding = await findOne(rig, 't');
    const accepted = { kind: 'accepted', binding, environment: 'sandbox', topic: 'x' } as const;
    await rig.store.settle([accepted]);
    const writer = new DatabaseSync(rig.path);
    writer.exec('BEGIN IMMEDIATE');
    rig.clock.advance(59_999);
    expect(await rig.store.settle([accepted, accepted])).toEqual(new Set());
    expect(await rig.store.settle([])).toEqual(new Set());
    rig.clock.advance(1);
    await expect(rig.store.settle([accepted])).rejects.toThrow('another process is writing');
    writer.close();
    await rig.store.settle([{ kind: 'refused', binding }]);
    expect((await findOne(rig, 't')).refusals?.count).toBe(1);
    await rig.store.settle([accepted]);
    expect((await findOne(rig, 't')).refusals).toBeUndefined();
  });

  it('takes changes of one turn in their order', async () => {
    const rig = new StoreRig();
    await rig.store.register(rig.registration('t'));
    const binding = await findOne(rig, 't');
    const accepted = { kind: 'accepted', binding, environment: 'sandbox', topic: 'x' } as const;
    await rig.store.settle([accepted]);
    await Promise.all([rig.store.settle([{ kind: 'refused', binding }]), rig.store.settle([accepted])]);
    expect((await findOne(rig, 't')).refusals).toBeUndefined();
  });

  it('drops, and says which', async () => {
    const rig = new StoreRig();
    await rig.store.register(rig.registration('a'));
    await rig.store.register(rig.registration('b'));
    const [a, b] = [await findOne(rig, 'a'), await findOne(rig, 'b')];
    const dropped = await rig.store.settle([
      { kind: 'drop', binding: a },
      { kind: 'refused', binding: b },
    ]);
    expect(dropped).toEqual(new Set([a.token]));
    expect(await rig.store.settle([{ kind: 'drop', binding: a }])).toEqual(new Set());
    expect(rig.store.counts().bindingCount).toBe(1);
  });

  it.each([
    ['another server has it', (rig: StoreRig) => rig.registration('t', 'B')],
    ['it was registered again', (rig: StoreRig) => rig.registration('t', 'S')],
  ])('changes nothing once %s', async (_, registerAgain) => {
    const rig = new StoreRig();
    await rig.store.register(rig.registration('t'));
    const binding = await findOne(rig, 't');
    await rig.store.register(registerAgain(rig));
    const before = rig.query('SELECT * FROM bindings');
    await rig.store.settle([{ kind: 'refused', binding }]);
    await rig.store.settle([{ kind: 'moved', binding, environment: 'sandbox', topic: 'x' }]);
    expect(await rig.store.settle([{ kind: 'drop', binding }])).toEqual(new Set());
    expect(rig.query('SELECT * FROM bindings')).toEqual(before);
  });

  it('changes nothing when the token came back within the same millisecond', async () => {
    const rig = new StoreRig();
    await rig.store.register(rig.registration('t'));
    const binding = await findOne(rig, 't');
    await rig.store.unregister(rig.unregistration('t'));
    await rig.store.register(rig.registration('t'));
    expect(await rig.store.settle([{ kind: 'drop', binding }])).toEqual(new Set());
  });
});

describe('lastAcceptedAtMs', () => {
  it('is known per environment and topic, to the minute, and after a restart', async () => {
    const rig = new StoreRig();
    await rig.store.register(rig.registration('t'));
    const binding = await findOne(rig, 't');
    const start = rig.clock.epochMs();
    const accept = async (topic: string) =>
      rig.store.settle([{ kind: 'accepted', binding, environment: 'sandbox', topic }]);
    expect(await rig.store.lastAcceptedAtMs('sandbox', 'x')).toBeUndefined();
    await accept('x');
    rig.clock.advance(59_999);
    await accept('x');
    expect(await rig.store.lastAcceptedAtMs('sandbox', 'x')).toBe(start);
    rig.clock.advance(1);
    await accept('x');
    expect(await rig.store.lastAcceptedAtMs('sandbox', 'x')).toBe(start + 60_000);
    await rig.reopen();
    expect(await rig.store.lastAcceptedAtMs('sandbox', 'x')).toBe(start + 60_000);
    expect(await rig.store.lastAcceptedAtMs('production', 'x')).toBeUndefined();
    expect(await rig.store.lastAcceptedAtMs('sandbox', 'y')).toBeUndefined();
  });
});
