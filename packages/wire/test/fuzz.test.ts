import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCase } from '../fuzz/case.ts';
import { TcpDoor } from '../fuzz/tcp-door.ts';

/** A taste of what `fuzz/run.ts` does at length; seeds in rows of 40, as one of 4 goes over real sockets. */
const ROWS = 6;
const SEEDS_IN_ROW = 40;

let door: TcpDoor;

beforeAll(async () => {
  door = await TcpDoor.open();
});

afterAll(() => door.close());

describe('random peers on both ends of a pair', () => {
  it.each(Array.from({ length: ROWS }, (_, row) => row * SEEDS_IN_ROW))(
    'get what the other sent, as ws understands it, with 40 seeds from %i',
    async (first) => {
      for (let seed = first; seed < first + SEEDS_IN_ROW; seed++) {
        const { faults } = await runCase(seed, door);
        expect({ seed, faults }).toEqual({ seed, faults: [] });
      }
    },
  );
});
