import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import type { PushOutcome } from '../../src/provider/push-outcome.ts';
import { tokens } from '../support/bodies.ts';
import { CourierStage, SERVER } from '../support/courier-stage.ts';
import {
  ACCEPTED,
  dead,
  KEY_FAULT,
  LATER,
  MISMATCH,
  REQUEST_FAULT,
  type Reaction,
  UNKNOWN,
} from '../support/scripted-provider.ts';

const [A = '', B = '', C = '', D = ''] = tokens(4, 'ab');

let stage: CourierStage;

beforeEach(() => {
  stage = new CourierStage();
});

describe('the rows', () => {
  it('are one for each token, in the order of the request', async () => {
    stage.bind(A, B, C);
    stage.provider.scriptBoth(LATER, B);
    expect(await stage.deliver([C, A, B])).toEqual([
      { token: C, ok: true },
      { token: A, ok: true },
      { token: B, ok: false },
    ]);
  });

  it('are one for a token listed twice, which gets one push', async () => {
    stage.bind(A, B);
    expect(await stage.deliver([A, B, A, A])).toEqual([
      { token: A, ok: true },
      { token: B, ok: true },
    ]);
    expect(stage.provider.asked(A)).toHaveLength(1);
  });

  it('echo a token as it was sent; the phone is the same', async () => {
    stage.bind(A);
    expect(await stage.deliver([A.toUpperCase()])).toEqual([{ token: A.toUpperCase(), ok: true }]);
    expect(stage.provider.asked(A)).toHaveLength(1);
  });

  it('are one for two spellings, which are one phone', async () => {
    stage.bind(A);
    const rows = await stage.deliver([A.toUpperCase(), A]);
    expect(rows).toEqual([{ token: A.toUpperCase(), ok: true }]);
    expect(stage.provider.sent).toHaveLength(1);
  });

  it('say nothing of tokens that are not bound to the server, whoever has them', async () => {
    stage.bind(B);
    stage.store.bind(C, 'another server');
    expect(await stage.deliver([A, B, C])).toEqual([
      { token: A, ok: false },
      { token: B, ok: true },
      { token: C, ok: false },
    ]);
    expect(stage.provider.sent.map(({ token }) => token)).toEqual([B]);
    expect(stage.told).toEqual(['unbound', 'unbound']);
  });

  it('are all there when nothing is bound, and nothing is settled', async () => {
    expect(await stage.deliver([A])).toEqual([{ token: A, ok: false }]);
    expect(stage.store.calls).toEqual(['find']);
  });
});

describe('one token', () => {
  const bug = (): Promise<PushOutcome> => Promise.reject(new Error('bug'));
  const thrown = (): never => {
    throw new Error('bug');
  };

  it.each<[string, Reaction]>([
    ['later', LATER],
    ['unknown', UNKNOWN],
    ['at fault', REQUEST_FAULT],
    ['met by a wrong key', KEY_FAULT],
    ['met by a bug', bug],
    ['met by a throw', thrown],
  ])('that is %s is kept and costs the others nothing', async (_, reaction) => {
    stage.bind(A, B, C);
    stage.provider.scriptBoth(reaction, B);
    expect(await stage.deliver([A, B, C])).toEqual([
      { token: A, ok: true },
      { token: B, ok: false },
      { token: C, ok: true },
    ]);
    expect(stage.store.bindings.has(B)).toBe(true);
  });

  it('that nobody knows is dropped, and the others are not', async () => {
    stage.bind(A, B, C);
    stage.provider.scriptBoth(MISMATCH, B);
    expect(await stage.deliver([A, B, C])).toEqual([
      { token: A, ok: true },
      { token: B, ok: false, drop: true },
      { token: C, ok: true },
    ]);
    expect([...stage.store.bindings.keys()]).toEqual([A, C]);
    expect(stage.told).toEqual(['dropped 1']);
  });

  it('alone that nobody knows is dropped as well', async () => {
    stage.bind(A);
    stage.provider.scriptBoth(MISMATCH);
    expect(await stage.deliver([A])).toEqual([{ token: A, ok: false, drop: true }]);
  });

  it('that has died since its registration is dropped', async () => {
    stage.bind(A);
    stage.provider.scriptBoth(dead(stage.clock.epochMs()));
    stage.clock.advance(1);
    expect(await stage.deliver([A])).toEqual([{ token: A, ok: false, drop: true }]);
    expect(stage.store.bindings.size).toBe(0);
  });

  it('that was registered again after its death is kept', async () => {
    const diedAt = stage.clock.epochMs();
    stage.clock.advance(1);
    stage.bind(A);
    stage.provider.scriptBoth(dead(diedAt));
    expect(await stage.deliver([A])).toEqual([{ token: A, ok: false }]);
    expect(stage.store.bindings.has(A)).toBe(true);
  });

  it('is not reported as dropped when it was registered anew during the push', async () => {
    stage.bind(A);
    stage.provider.scriptBoth(() => {
      stage.clock.advance(1);
      stage.bind(A);
      return Promise.resolve(MISMATCH);
    });
    expect(await stage.deliver([A])).toEqual([{ token: A, ok: false }]);
    expect(stage.store.bindings.has(A)).toBe(true);
    expect(stage.told).toEqual([]);
  });

  it('is not reported as dropped when another server has taken it meanwhile', async () => {
    stage.bind(A);
    stage.provider.scriptBoth(() => {
      stage.store.bind(A, 'another server');
      return Promise.resolve(dead(undefined));
    });
    expect(await stage.deliver([A])).toEqual([{ token: A, ok: false }]);
    expect(stage.store.bindings.get(A)?.serverId).toBe('another server');
  });
});

describe('the environment', () => {
  it('that accepted a token is remembered and asked first from then on', async () => {
    stage.bind(A);
    stage.provider.script('sandbox', MISMATCH);
    expect(await stage.deliver([A])).toEqual([{ token: A, ok: true }]);
    expect(await stage.deliver([A])).toEqual([{ token: A, ok: true }]);
    expect(stage.provider.asked(A)).toEqual(['sandbox', 'production', 'production']);
  });

  it('is learned anew when the app comes from elsewhere', async () => {
    stage.bind(A);
    await stage.deliver([A], { environment: 'production' });
    stage.provider.script('production', MISMATCH);
    expect(await stage.deliver([A], { environment: 'production' })).toEqual([{ token: A, ok: true }]);
    expect(await stage.deliver([A], { environment: 'production' })).toEqual([{ token: A, ok: true }]);
    expect(stage.provider.asked(A)).toEqual(['production', 'production', 'sandbox', 'sandbox']);
  });

  it('is the one that the server says, while that is not known to be wrong', async () => {
    stage.bind(A);
    await stage.deliver([A], { environment: 'sandbox' });
    await stage.deliver([A], { environment: 'production' });
    await stage.deliver([A], { environment: 'sandbox' });
    expect(stage.provider.asked(A)).toEqual(['sandbox', 'production', 'sandbox']);
  });

  it('that refuses every token it is asked about first is no witness for the other', async () => {
    stage.bind(A, B, C, D);
    stage.provider.script('production', MISMATCH);
    stage.provider.scriptBoth(MISMATCH, A);
    stage.provider.scriptBoth(MISMATCH, B);
    stage.provider.scriptBoth(MISMATCH, C);
    await stage.deliver([A, B, C], { environment: 'production' });
    await stage.deliver([D]);
    expect(await stage.deliver([A])).toEqual([{ token: A, ok: false }]);
    expect(stage.store.bindings.size).toBe(4);
  });

  it('that refuses three tokens and takes none is suspected: nothing is dropped, and it is said once', async () => {
    stage.bind(A, B, C, D);
    stage.provider.scriptBoth(MISMATCH);
    const kept = [A, B, C].map((token) => ({ token, ok: false }));
    expect(await stage.deliver([A, B, C])).toEqual(kept);
    expect(await stage.deliver([A, B, C])).toEqual(kept);
    expect(await stage.deliver([D])).toEqual([{ token: D, ok: false }]);
    expect(stage.store.bindings.size).toBe(4);
    expect(stage.told.filter((line) => line.startsWith('suspected sandbox'))).toHaveLength(1);
  });

  it('that takes one of the request is not suspected for the others, wherever that one stands', async () => {
    stage.bind(A, B, C, D);
    stage.provider.scriptBoth(MISMATCH);
    stage.provider.script('sandbox', ACCEPTED, D);
    expect(await stage.deliver([A, B, C, D])).toEqual([
      { token: A, ok: false, drop: true },
      { token: B, ok: false, drop: true },
      { token: C, ok: false, drop: true },
      { token: D, ok: true },
    ]);
    expect(stage.told).toEqual(['dropped 3']);
  });

  it('that knows since when one token is dead knows tokens, and is not suspected for the others', async () => {
    stage.bind(A, B, C, D);
    stage.provider.scriptBoth(MISMATCH);
    stage.provider.script('sandbox', dead(stage.clock.epochMs()), D);
    const rows = await stage.deliver([A, B, C, D]);
    expect(rows).toEqual([A, B, C, D].map((token) => ({ token, ok: false, drop: true })));
    expect(stage.told).toEqual(['dropped 4']);
  });

  it('is cleared by the first push that it takes; what it refuses then counts again', async () => {
    stage.bind(A, B, C, D);
    stage.provider.scriptBoth(MISMATCH);
    await stage.deliver([A, B, C]);
    stage.provider.script('sandbox', ACCEPTED, D);
    await stage.deliver([D]);
    expect(stage.told.at(-1)).toContain('cleared sandbox');
    expect(await stage.deliver([A])).toEqual([{ token: A, ok: false, drop: true }]);
  });
});

describe('where the other environment cannot be asked', () => {
  const HOUR_MS = 3_600_000;

  beforeEach(() => {
    stage.bind(A, B);
    stage.provider.script('sandbox', MISMATCH, A);
    stage.provider.script('production', KEY_FAULT);
  });

  it('a token is dead at the third refusal after a day in which others were accepted', async () => {
    const kept = [
      { token: A, ok: false },
      { token: B, ok: true },
    ];
    expect(await stage.deliver([A, B])).toEqual(kept);
    stage.clock.advance(12 * HOUR_MS);
    expect(await stage.deliver([A, B])).toEqual(kept);
    stage.clock.advance(12 * HOUR_MS);
    expect(await stage.deliver([A, B])).toEqual([
      { token: A, ok: false, drop: true },
      { token: B, ok: true },
    ]);
    expect([...stage.store.bindings.keys()]).toEqual([B]);
  });

  it('three refusals within a day are not enough, nor are two over more', async () => {
    for (const waitHours of [0, 8, 8]) {
      stage.clock.advance(waitHours * HOUR_MS);
      await stage.deliver([A, B]);
    }
    expect(stage.store.bindings.get(A)?.refusals?.count).toBe(3);
    stage.bind(A);
    await stage.deliver([A, B]);
    stage.clock.advance(48 * HOUR_MS);
    expect(await stage.deliver([A, B])).toEqual([
      { token: A, ok: false },
      { token: B, ok: true },
    ]);
  });

  it('refusals are void once the token was accepted', async () => {
    await stage.deliver([A, B]);
    await stage.deliver([A, B]);
    stage.provider.script('sandbox', ACCEPTED, A);
    await stage.deliver([A]);
    stage.provider.script('sandbox', MISMATCH, A);
    stage.clock.advance(25 * HOUR_MS);
    await stage.deliver([B]);
    expect(await stage.deliver([A])).toEqual([{ token: A, ok: false }]);
    expect(stage.store.bindings.get(A)?.refusals).toEqual({ count: 1, firstAtMs: stage.clock.epochMs() });
  });

  it('no refusal counts while nothing else is accepted', async () => {
    stage.provider.script('sandbox', MISMATCH);
    for (let day = 0; day < 5; day++) {
      expect(await stage.deliver([A])).toEqual([{ token: A, ok: false }]);
      stage.clock.advance(24 * HOUR_MS);
    }
    expect(stage.store.bindings.has(A)).toBe(true);
  });
});

describe('the end of a Live Activity', () => {
  it('ends the binding of every token that took it, which is no drop', async () => {
    stage.bind(A, B, C);
    stage.provider.scriptBoth(LATER, B);
    stage.provider.scriptBoth(MISMATCH, C);
    expect(await stage.deliver([A, B, C], { isLast: true })).toEqual([
      { token: A, ok: true },
      { token: B, ok: false },
      { token: C, ok: false, drop: true },
    ]);
    expect([...stage.store.bindings.keys()]).toEqual([B]);
  });
});

describe('a store out of order', () => {
  it('that cannot be read sends nothing and is told on', async () => {
    stage.bind(A);
    stage.store.failures.set('find', new Error('disk'));
    await expect(stage.deliver([A])).rejects.toThrow('disk');
    expect(stage.provider.sent).toEqual([]);
  });

  it.each(['settle', 'lastAcceptedAtMs'] as const)(
    'in %s leaves the pushes what they were',
    async (method) => {
      stage.bind(A, B);
      stage.provider.script('sandbox', MISMATCH, B);
      stage.provider.script('production', KEY_FAULT, B);
      stage.store.failures.set(method, new Error('disk'));
      expect(await stage.deliver([A, B])).toEqual([
        { token: A, ok: true },
        { token: B, ok: false },
      ]);
      expect(stage.told).toEqual(['unsettled']);
    },
  );

  it('reports no drop that was not written', async () => {
    stage.bind(A);
    stage.provider.scriptBoth(dead(undefined));
    stage.store.failures.set('settle', new Error('disk'));
    expect(await stage.deliver([A])).toEqual([{ token: A, ok: false }]);
  });
});

describe('more than may wait', () => {
  it('is refused, token by token, and the rest goes on', async () => {
    stage = new CourierStage(2);
    const five = tokens(5);
    stage.bind(...five);
    const rows = await stage.deliver(five);
    expect(rows.map(({ ok }) => ok)).toEqual([true, true, true, true, false]);
    expect(stage.told).toEqual(['overloaded']);
    expect(stage.provider.sent).toHaveLength(4);
    expect(stage.courier.gates.ios.activeCount).toBe(0);
  });

  it('does not wait beyond its deadline', async () => {
    stage = new CourierStage(1);
    stage.bind(A, B);
    stage.provider.script(
      'sandbox',
      () => {
        stage.clock.advance(5000);
        return Promise.resolve(UNKNOWN);
      },
      A,
    );
    expect(await stage.deliver([A, B])).toEqual([
      { token: A, ok: false },
      { token: B, ok: false },
    ]);
    expect(stage.provider.asked(B)).toEqual([]);
  });
});

it('answers for every token by itself, whatever happens to the others', async () => {
  const fates: Record<string, [Reaction, boolean]> = {
    accepted: [ACCEPTED, true],
    later: [LATER, false],
    unknown: [UNKNOWN, false],
    fault: [REQUEST_FAULT, false],
    key: [KEY_FAULT, false],
    dead: [dead(undefined), false],
    bug: [() => Promise.reject(new Error('bug')), false],
    unbound: [ACCEPTED, false],
  };
  const fate = fc.constantFrom(...Object.keys(fates));
  await fc.assert(
    fc.asyncProperty(fc.array(fate, { minLength: 1, maxLength: 60 }), async (chosen) => {
      const stage = new CourierStage();
      const all = tokens(chosen.length);
      const expected = all.map((token, index) => {
        const name = chosen[index] ?? '';
        const [reaction, ok] = fates[name] ?? [ACCEPTED, true];
        if (name !== 'unbound') stage.store.bind(token, SERVER);
        stage.provider.scriptBoth(reaction, token);
        return { token, ok, ...(name === 'dead' ? { drop: true } : {}) };
      });
      expect(await stage.deliver(all)).toEqual(expected);
      expect(stage.provider.sent).toHaveLength(chosen.filter((name) => name !== 'unbound').length);
    }),
    { numRuns: 60 },
  );
});
