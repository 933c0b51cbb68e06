import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runRounds } from './run-rounds.mjs';

/** Stages that end when they are told to, and a record of what happened to them. */
function makeStage() {
  const happened = [];
  const endings = new Map();
  const start = ({ name }, { isAlone }) => {
    happened.push(`${name} starts${isAlone ? ' alone' : ''}`);
    return new Promise((resolve) => endings.set(name, resolve));
  };
  const end = async (name, result = { passed: 1, failed: 0 }) => {
    endings.get(name)(result);
    for (let turns = 0; turns < 20; turns++) await Promise.resolve();
  };
  const report = ({ name }, output) => happened.push(`${name} ends${output ? `: ${output}` : ''}`);
  return { happened, end, start, report };
}

const roundsOf = (text) =>
  text.split(';').map((round) => round.split('|').map((lane) => [...lane].map((name) => ({ name }))));

test('lanes run side by side, stages of a lane one after the other, rounds too', async () => {
  const { happened, end, start, report } = makeStage();
  const done = runRounds(roundsOf('a;bc|d;e'), { start, report });
  await end('a');
  assert.deepEqual(happened.splice(0), ['a starts alone', 'a ends', 'b starts', 'd starts']);
  await end('d', { passed: 3, failed: 0, skipped: 1, output: 'said' });
  await end('b');
  assert.deepEqual(happened.splice(0), ['d ends: said', 'b ends', 'c starts']);
  await end('c');
  assert.deepEqual(happened.splice(0), ['c ends', 'e starts alone']);
  await end('e');
  const results = (await done).map(({ name, passed, failed, skipped }) => [name, passed, failed, skipped]);
  assert.deepEqual(results, [
    ['a', 1, 0, 0],
    ['b', 1, 0, 0],
    ['c', 1, 0, 0],
    ['d', 3, 0, 1],
    ['e', 1, 0, 0],
  ]);
});

test('once a stage has failed those that run are awaited, and no other is started', async () => {
  const { happened, end, start, report } = makeStage();
  const done = runRounds(roundsOf('ab|cd;e'), { start, report });
  await end('c', { passed: 7, failed: 2 });
  await end('a');
  assert.deepEqual(happened, ['a starts', 'c starts', 'c ends', 'a ends']);
  const results = (await done).map(({ name, isSkipped, failed }) => [name, isSkipped, failed]);
  assert.deepEqual(results, [
    ['a', false, 0],
    ['b', true, 0],
    ['c', false, 2],
    ['d', true, 0],
    ['e', true, 0],
  ]);
});
