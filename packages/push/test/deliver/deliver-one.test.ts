import { FakeClock } from '@openchambery/testkit';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Binding } from '../../src/binding/binding.ts';
import { deliverOne } from '../../src/deliver/deliver-one.ts';
import type { DeliveredByApple, DeliveryJob } from '../../src/deliver/delivery-job.ts';
import { pushId } from '../../src/deliver/push-id.ts';
import { SecondOpinion } from '../../src/deliver/second-opinion.ts';
import type { PushOutcome } from '../../src/provider/push-outcome.ts';
import { TokenHolds } from '../../src/deliver/token-holds.ts';
import { TOKEN } from '../support/bodies.ts';
import { MemoryBindingStore } from '../support/memory-binding-store.ts';
import {
  ACCEPTED,
  dead,
  KEY_FAULT,
  LATER,
  MISMATCH,
  REQUEST_FAULT,
  ScriptedProvider,
  UNKNOWN,
} from '../support/scripted-provider.ts';

const TEXT_HASH = Buffer.alloc(32, 7);

let clock: FakeClock;
let provider: ScriptedProvider;
let secondOpinion: SecondOpinion;
let holds: TokenHolds;
let bugs: unknown[];

beforeEach(() => {
  clock = new FakeClock();
  provider = new ScriptedProvider();
  secondOpinion = new SecondOpinion(clock);
  holds = new TokenHolds(clock);
  bugs = [];
});

function bind(more: Partial<Binding> = {}): Binding {
  return new MemoryBindingStore(clock).bind(TOKEN, 'server', more);
}

async function run(binding: Binding = bind(), job: Partial<DeliveryJob> = {}): Promise<DeliveredByApple> {
  const delivered = await deliverOne(
    binding,
    {
      serverId: 'server',
      textHash: TEXT_HASH,
      kind: 'alert',
      environment: 'sandbox',
      payloads: { ios: Buffer.from('{}') },
      deadlineMs: 5000,
      ...job,
    },
    {
      clock,
      providers: { ios: provider, android: undefined },
      secondOpinion,
      holds,
      onProviderBug: (error) => bugs.push(error),
    },
  );
  if (delivered.platform !== 'ios') throw new Error('not by Apple');
  return delivered;
}

describe('a push', () => {
  it('goes out as it was asked for', async () => {
    const payload = Buffer.from('{"aps":{}}');
    await run(bind(), { payloads: { ios: payload }, kind: 'liveactivity', collapseId: 'c', deadlineMs: 77 });
    expect(provider.sent).toEqual([
      {
        id: pushId(TEXT_HASH, TOKEN),
        token: TOKEN,
        environment: 'sandbox',
        kind: 'liveactivity',
        payload,
        collapseId: 'c',
        deadlineMs: 77,
      },
    ]);
  });

  it('goes where the server says while nothing better is known', async () => {
    await run(bind(), { environment: 'production' });
    expect(provider.asked(TOKEN)).toEqual(['production']);
  });

  it('goes where the token was accepted last, whatever the server says', async () => {
    const { asked, environment } = await run(bind({ environment: 'production' }));
    expect([provider.asked(TOKEN), asked, environment]).toEqual([['production'], 'production', 'production']);
  });

  it.each([ACCEPTED, dead(5), LATER, UNKNOWN, REQUEST_FAULT, KEY_FAULT])(
    'is not asked about again after %j',
    async (outcome) => {
      provider.scriptBoth(outcome);
      const delivered = await run();
      expect(delivered).toEqual({
        platform: 'ios',
        binding: bind(),
        asked: 'sandbox',
        outcome,
        environment: 'sandbox',
        isRefusedByBoth: false,
      });
      expect(provider.asked(TOKEN)).toEqual(['sandbox']);
    },
  );
});

describe('a token that its environment does not know', () => {
  beforeEach(() => provider.script('sandbox', MISMATCH));

  it('is delivered where the other one knows it', async () => {
    const delivered = await run();
    expect(delivered).toMatchObject({
      asked: 'sandbox',
      outcome: ACCEPTED,
      environment: 'production',
      isRefusedByBoth: false,
    });
    expect(provider.asked(TOKEN)).toEqual(['sandbox', 'production']);
  });

  it('bears the same id both times, so that no phone shows it twice', async () => {
    await run();
    expect(new Set(provider.sent.map(({ id }) => id)).size).toBe(1);
  });

  it('is asked about in production first when that is where it was', async () => {
    provider.script('production', MISMATCH);
    provider.script('sandbox', ACCEPTED);
    expect(await run(bind({ environment: 'production' }))).toMatchObject({
      asked: 'production',
      environment: 'sandbox',
      outcome: ACCEPTED,
    });
  });

  it('is unknown to both when the other does not know it either', async () => {
    provider.script('production', MISMATCH);
    expect(await run()).toMatchObject({ outcome: MISMATCH, environment: 'sandbox', isRefusedByBoth: true });
    expect(provider.sent).toHaveLength(2);
  });

  it('is dead when the other has known it', async () => {
    provider.script('production', dead(9));
    expect(await run()).toMatchObject({
      outcome: dead(9),
      environment: 'production',
      isRefusedByBoth: false,
    });
  });

  it('may have been delivered when the other leaves that open', async () => {
    provider.script('production', UNKNOWN);
    expect(await run()).toMatchObject({ outcome: UNKNOWN, isRefusedByBoth: false });
  });

  it.each([LATER, KEY_FAULT, REQUEST_FAULT])(
    'is judged by the first alone when the other says %j',
    async (outcome) => {
      provider.script('production', outcome);
      expect(await run()).toMatchObject({
        outcome: MISMATCH,
        environment: 'sandbox',
        isRefusedByBoth: false,
      });
    },
  );

  it.each([KEY_FAULT, REQUEST_FAULT])('is not asked about again in vain: %j', async (outcome) => {
    provider.script('production', outcome);
    await run();
    await run();
    expect(provider.asked(TOKEN)).toEqual(['sandbox', 'production', 'sandbox']);
  });

  it('is asked about again when the other was only busy', async () => {
    provider.script('production', LATER);
    await run();
    await run();
    expect(provider.sent).toHaveLength(4);
  });

  it('is not asked about where the budget is spent', async () => {
    for (let count = 0; count < 100; count++) secondOpinion.mayAsk('server', `token ${count}`);
    expect(await run()).toMatchObject({ outcome: MISMATCH, isRefusedByBoth: false });
    expect(provider.asked(TOKEN)).toEqual(['sandbox']);
  });
});

describe('a service that asks to wait', () => {
  const busy: PushOutcome = { kind: 'later', reason: 'TooManyRequests', retryAfterMs: 7000 };

  it('is not asked about that token until then', async () => {
    provider.script('sandbox', busy);
    expect((await run()).outcome).toEqual(busy);
    provider.script('sandbox', ACCEPTED);
    clock.advance(6999);
    expect((await run(bind(), { deadlineMs: 20_000 })).outcome).toEqual({
      kind: 'later',
      reason: 'held',
      retryAfterMs: 1,
    });
    expect(provider.sent).toHaveLength(1);
    clock.advance(1);
    expect((await run(bind(), { deadlineMs: 20_000 })).outcome).toEqual(ACCEPTED);
  });

  it('is asked at once when it does not say how long', async () => {
    provider.script('sandbox', LATER);
    await run();
    await run();
    expect(provider.sent).toHaveLength(2);
  });
});

describe('the deadline', () => {
  it('keeps a push that comes too late from being sent', async () => {
    clock.advance(5000);
    expect((await run()).outcome).toMatchObject({ kind: 'later' });
    expect(provider.sent).toEqual([]);
  });

  it('lets one through a millisecond before', async () => {
    clock.advance(4999);
    expect((await run()).outcome).toEqual(ACCEPTED);
  });

  it('holds for the other environment, too', async () => {
    provider.script('sandbox', () => {
      clock.advance(5000);
      return Promise.resolve(MISMATCH);
    });
    expect(await run()).toMatchObject({ outcome: MISMATCH, isRefusedByBoth: false });
    expect(provider.asked(TOKEN)).toEqual(['sandbox']);
  });

  it('is the same for both', async () => {
    provider.script('sandbox', MISMATCH);
    await run();
    expect(provider.sent.map(({ deadlineMs }) => deadlineMs)).toEqual([5000, 5000]);
  });
});

describe('a provider that breaks its word', () => {
  const bug = new Error('bug');

  it.each([
    ['rejects', () => Promise.reject(bug)],
    [
      'throws',
      () => {
        throw bug;
      },
    ],
  ])('and %s leaves the outcome open and is told on', async (_, reaction) => {
    provider.script('sandbox', reaction);
    expect((await run()).outcome).toMatchObject({ kind: 'unknown' });
    expect(bugs).toEqual([bug]);
    expect(provider.sent).toHaveLength(1);
  });

  it('at the second question leaves it open as well', async () => {
    provider.script('sandbox', MISMATCH);
    provider.script('production', () => Promise.reject(bug));
    expect(await run()).toMatchObject({ outcome: { kind: 'unknown' }, isRefusedByBoth: false });
    expect(bugs).toEqual([bug]);
  });
});
