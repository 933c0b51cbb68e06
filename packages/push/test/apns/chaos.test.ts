import { eventually, type Reaction } from '@openchambery/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import type { PushOutcome } from '../../src/provider/push-outcome.ts';
import type { ApnsNotification } from '../../src/provider/push-provider.ts';
import { makeNotification, type Rig, startRig } from './rig.ts';

const PUSHES = 2000;
const WAVE = 100;
let rig: Rig | undefined;

afterEach(async () => {
  await rig?.close();
  rig = undefined;
});

/** Numbers from 0 to 1 that a seed repeats (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function pickReactions(random: () => number): Reaction[] {
  const delayMs = random() < 0.3 ? Math.ceil(random() * 5) : 0;
  const dice = random();
  if (dice < 0.002) return [{ fault: 'tcp-reset', delayMs }];
  if (dice < 0.004) return [{ fault: 'tcp-fin', delayMs }];
  if (dice < 0.05) return [{ fault: 'rst-stream', code: 7, delayMs }, { status: 200 }];
  if (dice < 0.1) return [{ fault: 'rst-stream', code: 7 }];
  if (dice < 0.15) return [{ fault: 'rst-stream', code: 8, delayMs }];
  if (dice < 0.2) return [{ status: 503, reason: 'Shutdown', delayMs }];
  if (dice < 0.25) return [{ status: 410, reason: 'Unregistered', delayMs }];
  return [{ status: 200, delayMs }];
}

interface Sent {
  readonly push: ApnsNotification;
  readonly outcome: PushOutcome;
}

interface Results {
  readonly sent: readonly Sent[];
  /** Tokens whose first stream is refused. */
  readonly refused: ReadonlySet<string>;
}

async function sendAll(it: Rig, random: () => number): Promise<Results> {
  const sent: Sent[] = [];
  const refused = new Set<string>();
  for (let count = 0; count < PUSHES; count += WAVE) {
    const pushes = Array.from({ length: WAVE }, () => makeNotification(it.clock));
    for (const { token } of pushes) {
      const reactions = pickReactions(random);
      const [first = {}] = reactions;
      if ('code' in first && first.code === 7) refused.add(token);
      it.apns.script(token, ...reactions);
    }
    const outcomes = pushes.map((push, index) => {
      // Its last stream is the newest it has seen, so it never goes back on its word.
      if (index === 50 && random() < 0.5) it.apns.goAway({ code: random() < 0.5 ? 0 : 11 });
      return it.provider.send(push);
    });
    for (const [index, push] of pushes.entries()) {
      const outcome = await outcomes[index];
      if (outcome !== undefined) sent.push({ push, outcome });
    }
  }
  return { sent, refused };
}

describe.each([1, 2, 3])('whatever goes wrong (seed %d)', (seed) => {
  it('nothing that may have been processed is sent twice, and nothing is said to be accepted that was not', async () => {
    const random = randomFrom(seed);
    const it = await startRig({ provider: { random } });
    rig = it;
    const { sent, refused } = await sendAll(it, random);
    expect(sent).toHaveLength(PUSHES);
    const answersOf = Map.groupBy(it.apns.requests, ({ token }) => token);
    for (const { push, outcome } of sent) {
      const answers = (answersOf.get(push.token) ?? []).map(({ answer }) => answer);
      const shown = JSON.stringify({ outcome, answers });
      // Only what was refused goes again, and only once.
      expect(answers.length, shown).toBeLessThanOrEqual(refused.has(push.token) ? 2 : 1);
      if (answers.length === 2) expect(answers[0]).toEqual({ fault: 'rst-stream' });
      if (outcome.kind === 'accepted') expect(answers.at(-1)).toEqual({ status: 200 });
      if (outcome.kind === 'later') expect(answers).not.toContainEqual({ status: 200 });
      expect(['accepted', 'dead', 'later', 'unknown']).toContain(outcome.kind);
    }
    const { outcomeCounts, ...snapshot } = it.provider.snapshot().sandbox;
    expect(Object.values(outcomeCounts).reduce((sum, count) => sum + count)).toBe(PUSHES);
    expect(outcomeCounts.accepted).toBeGreaterThan(PUSHES / 10);
    expect(snapshot.waitingCount).toBe(0);
    await eventually(() => expect(it.provider.snapshot().sandbox.streamCount).toBe(0), { everyMs: 2 });
  });
});
