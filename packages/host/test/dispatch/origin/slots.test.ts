import { describe, expect, it } from 'vitest';
import { Slots } from '../../../src/dispatch/origin/slots.ts';

const forever = new AbortController().signal;

/** Whether a promise is settled once everything that can happen has happened. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  const turn = new Promise<'turn'>((resolve) => setImmediate(resolve, 'turn'));
  return (await Promise.race([promise, turn])) !== 'turn';
}

describe('Slots', () => {
  it('gives places at once while there are any', async () => {
    const slots = new Slots(2);
    expect(await slots.take(forever)).toBe(true);
    expect(await slots.take(forever)).toBe(true);
    expect(await isSettled(slots.take(forever))).toBe(false);
  });

  it('serves those who wait in the order in which they came', async () => {
    const slots = new Slots(1);
    await slots.take(forever);
    const served: number[] = [];
    for (const number of [1, 2, 3]) void slots.take(forever).then(() => served.push(number));
    for (const expected of [[1], [1, 2], [1, 2, 3]]) {
      slots.giveBack();
      await new Promise(setImmediate);
      expect(served).toEqual(expected);
    }
    slots.giveBack();
    expect(await slots.take(forever)).toBe(true);
  });

  it('forgets those who go', async () => {
    const slots = new Slots(1);
    await slots.take(forever);
    const leaving = new AbortController();
    const left = slots.take(leaving.signal);
    const patient = slots.take(forever);
    leaving.abort();
    expect(await left).toBe(false);
    slots.giveBack();
    expect(await patient).toBe(true);
    expect(await slots.take(leaving.signal)).toBe(false);
  });

  it('does not lose the place of somebody who goes as it is given', async () => {
    const slots = new Slots(1);
    await slots.take(forever);
    const leaving = new AbortController();
    const last = slots.take(leaving.signal);
    slots.giveBack();
    leaving.abort();
    expect(await last).toBe(true);
    slots.giveBack();
    expect(await slots.take(forever)).toBe(true);
  });
});
