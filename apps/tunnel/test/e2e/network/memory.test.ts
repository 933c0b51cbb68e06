import { once } from 'node:events';
import { request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { delay, patternPiece, patternPieces, residentBytes, startTestOrigin } from '@openchambery/testkit';
import { expect, it, onTestFinished } from 'vitest';
import { ask, headOf } from '../support/ask.ts';
import { connect, expose, ownFolder, ownRelay } from '../support/tunnel.ts';

const MIB = 1024 * 1024;
const GIB = 1024 * MIB;

/** A reader takes so much in a burst, and then nothing for a while: long enough for all that is behind it to fill up. */
const BURST_BYTES = 64 * MIB;
const PAUSE_MS = 250;

const SAMPLE_MS = 50;

/** What a process may take on top of what it took before it had anything to do, in bytes. */
const MAX_ABOVE_IDLE_BYTES = 150 * MIB;

/** What the second half may take more than the first, in bytes: garbage is collected when that is convenient. */
const MAX_GROWTH_BYTES = 40 * MIB;

/** Reads a body in bursts, and compares each byte. @returns how many there were. */
async function readInBursts(body: Readable, onBytes: (bytes: number) => void): Promise<number> {
  let bytes = 0;
  let pauseAt = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    if (!chunk.equals(patternPiece(bytes, chunk.length))) throw new Error(`wrong after ${bytes} bytes`);
    bytes += chunk.length;
    onBytes(chunk.length);
    if (bytes < pauseAt) continue;
    await delay(PAUSE_MS);
    pauseAt = bytes + BURST_BYTES;
  }
  return bytes;
}

/** Samples of one process: the most it took in each half of the work. */
class Memory {
  readonly idleBytes: number;
  readonly #pid: number;
  readonly mostBytes: [number, number] = [0, 0];

  constructor(pid: number) {
    this.#pid = pid;
    this.idleBytes = residentBytes(pid);
  }

  look(half: 0 | 1): void {
    this.mostBytes[half] = Math.max(this.mostBytes[half], residentBytes(this.#pid));
  }
}

it('takes 1 GiB up and 1 GiB down, read slowly, with bounded memory at all three parties', async () => {
  const [origin, relay, state] = await Promise.all([startTestOrigin(), ownRelay(), ownFolder()]);
  onTestFinished(() => origin.close());
  const host = await expose([String(origin.port), '--relay', relay.url, '--state', state]);
  const client = await connect(host.link);
  (await ask(`${client.url}/status/204`)).resume();
  const memory = {
    relay: new Memory(relay.pid),
    host: new Memory(host.command.pid),
    client: new Memory(client.command.pid),
  };
  let movedBytes = 0;
  const onBytes = (bytes: number): void => void (movedBytes += bytes);
  const sampling = setInterval(() => {
    for (const one of Object.values(memory)) one.look(movedBytes < GIB ? 0 : 1);
  }, SAMPLE_MS);
  onTestFinished(() => clearInterval(sampling));

  const post = request(`${client.url}/deaf`, { method: 'POST' });
  const answered = headOf(post);
  const sending = pipeline(Readable.from(patternPieces(GIB), { objectMode: false }), post);
  const upload = async (): Promise<number> => {
    const held = await origin.nextHeld();
    const bytes = await readInBursts(held.incoming, onBytes);
    held.answer(200, 'thanks');
    const [answer] = await Promise.all([answered, sending]);
    answer.resume();
    await once(answer, 'end');
    return bytes;
  };
  const download = async (): Promise<number> => {
    const answer: IncomingMessage = await ask(`${client.url}/bytes/${GIB}`);
    return await readInBursts(answer, onBytes);
  };
  expect(await Promise.all([upload(), download()])).toEqual([GIB, GIB]);
  for (const [name, { idleBytes, mostBytes }] of Object.entries(memory)) {
    expect(Math.max(...mostBytes) - idleBytes, name).toBeLessThan(MAX_ABOVE_IDLE_BYTES);
    expect(mostBytes[1] - mostBytes[0], name).toBeLessThan(MAX_GROWTH_BYTES);
  }
}, 180_000);
