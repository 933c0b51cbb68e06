import { FakeClock } from '@openchambery/testkit';
import { describe, expect, it } from 'vitest';
import { LeapClock } from './support/leap-clock.ts';
import { type Network, startNetwork } from './support/network.ts';

const TOKENS = 100;

/** How long what may wait can be held back to be sent with others, in ms. */
const WINDOW_MS = 150;

/** A clock that stands still once a Host and a Client have found each other: whatever waits for a timer, waits for ever. */
class StoppedClock extends LeapClock {
  readonly #standing = new FakeClock();
  #isStopped = false;

  stop(): void {
    this.#isStopped = true;
  }

  override monotonicMs(): number {
    return this.#isStopped ? this.#standing.monotonicMs() : super.monotonicMs();
  }

  override setTimer(callback: () => void, delayMs: number): { cancel(): void } {
    return this.#isStopped ? this.#standing.setTimer(callback, delayMs) : super.setTimer(callback, delayMs);
  }
}

/** The lines of an answer, as they come. */
async function* linesOf(body: ReadableStream<Uint8Array> | null): AsyncGenerator<string> {
  let rest = '';
  const decoder = new TextDecoder();
  for await (const chunk of body ?? []) {
    const lines = `${rest}${decoder.decode(chunk, { stream: true })}`.split('\n');
    rest = lines.pop() ?? '';
    yield* lines.filter((line) => line !== '');
  }
}

/** Sends each token when the one before was read at the other end. @returns how long each took, in ms. */
async function pingPong({ origin }: Network, response: Response): Promise<number[]> {
  const events = await origin.nextEventStream();
  const lines = linesOf(response.body);
  const times: number[] = [];
  for (let index = 0; index < TOKENS; index++) {
    const startedAt = performance.now();
    await events.push(`token ${index}`);
    expect((await lines.next()).value).toBe(`data: token ${index}`);
    times.push(performance.now() - startedAt);
  }
  events.end();
  expect((await lines.next()).done).toBe(true);
  return times;
}

describe('tokens of an event stream', () => {
  it('arrive although no timer of Host and Client ever fires', async () => {
    const clocks = { host: new StoppedClock(), client: new StoppedClock() };
    const network = await startNetwork({ hostClock: clocks.host });
    const { client } = await network.connectClient({ clock: clocks.client });
    clocks.host.stop();
    clocks.client.stop();
    await pingPong(network, await client.fetch('/sse'));
  });

  it('arrive at once', async () => {
    const network = await startNetwork();
    const { client } = await network.connectClient();
    const times = await pingPong(network, await client.fetch('/sse'));
    const median = times.toSorted((a, b) => a - b)[TOKENS / 2];
    expect(median).toBeLessThan(WINDOW_MS / 2);
  });
});
