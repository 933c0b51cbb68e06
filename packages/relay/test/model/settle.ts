import { setImmediate as turn } from 'node:timers/promises';
import { checkQuiet } from './invariants.ts';
import type { World } from './world.ts';

/** Far more turns than anything takes to come to rest. */
const MOST_TURNS = 2000;

/** Lets everything that can move come to rest, then looks at what must hold then. */
export async function settle(world: World): Promise<void> {
  const { stage } = world;
  for (let turns = 0; stage.failures.length === 0; turns++) {
    await turn();
    if (!moveAll(world)) break;
    if (turns > MOST_TURNS) stage.fail(`no rest after ${MOST_TURNS} turns`);
  }
  world.afterCallbacks();
  if (stage.failures.length === 0) checkQuiet(world);
}

/** Moves time to `atMs`, with a rest whenever a timer has fired. */
export async function passTo(world: World, atMs: number): Promise<void> {
  const { stage } = world;
  await settle(world);
  while (stage.failures.length === 0) {
    const next = stage.nextDueMs;
    if (next === undefined || next > atMs) break;
    stage.moveTo(next);
    world.afterCallbacks();
    await settle(world);
  }
  stage.moveTo(atMs);
  await settle(world);
}

/** Moves time by `ms`. */
export function pass(world: World, ms: number): Promise<void> {
  return passTo(world, world.stage.now + ms);
}

function moveAll(world: World): boolean {
  let hasMoved = world.stage.runTurn();
  if (hasMoved) world.afterCallbacks();
  const peers = [...world.alive.map((leg) => leg.peer), ...world.strangers];
  for (const peer of peers) {
    if (peer.react()) hasMoved = true;
    if (peer.socket.deliver()) hasMoved = true;
  }
  return hasMoved;
}
