import fc from 'fast-check';
import { describe, it } from 'vitest';
import { play } from './play.ts';
import { schedules } from './schedule.ts';

/** `RELAY_MODEL_SEED` replays a run, `RELAY_MODEL_RUNS` makes it longer. */
const numRuns = Number(process.env['RELAY_MODEL_RUNS'] ?? 2000);
const seed = Number(process.env['RELAY_MODEL_SEED'] ?? 1);

describe('a relay under random schedules', () => {
  it(`keeps its promises in ${numRuns} schedules (seed ${seed})`, {
    timeout: 60_000 + numRuns * 50,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(schedules, async (schedule) => {
        await play(schedule);
      }),
      { seed, numRuns, endOnFailure: false },
    );
  });
});
