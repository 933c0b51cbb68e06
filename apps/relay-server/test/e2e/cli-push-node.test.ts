import { freePort, runPush, runRelay, spawnRelay } from '@openchambery/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { preloaded } from './support/bad-stderr.ts';
import { neededVariables, onlyLine, withPushPrefix } from './support/push-command.ts';

/** Node.js as it says what it is, too old for push. */
const OLD_NODE = preloaded(
  `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '22.12.9' } });`,
);
const PROBLEM = 'Push needs Node.js 22.13 or newer, which has node:sqlite; this is 22.12.9';

describe('a Node.js without node:sqlite', () => {
  it('is one line and exit code 1', async () => {
    const { code, stdout, stderr } = await runPush({ limits: neededVariables(), env: OLD_NODE });
    expect([code, stdout, onlyLine(stderr)]).toEqual([1, '', PROBLEM]);
  });

  it('is an error line with --json', async () => {
    const { code, stdout } = await runPush({ args: ['--json'], limits: neededVariables(), env: OLD_NODE });
    expect([code, JSON.parse(onlyLine(stdout))]).toEqual([1, { status: 'error', error: PROBLEM }]);
  });

  it('does for help and version', async () => {
    expect((await runPush({ args: ['--help'], env: OLD_NODE })).code).toBe(0);
    expect((await runPush({ args: ['--version'], env: OLD_NODE })).code).toBe(0);
  });

  it('does for a relay by itself, not for one with push', async () => {
    const relay = spawnRelay({ args: ['--port', String(await freePort())], env: OLD_NODE });
    onTestFinished(() => relay.stop());
    await relay.output('stdout', (text) => text.startsWith('Relay listening'));
    const env = { ...OLD_NODE, ...withPushPrefix(neededVariables()) };
    const { code, stdout, stderr } = await runRelay({ env });
    expect([code, stdout, onlyLine(stderr)]).toEqual([1, '', PROBLEM]);
  });
});
