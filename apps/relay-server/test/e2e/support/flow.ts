import { setImmediate as nextTurn } from 'node:timers/promises';
import { delay } from '@openchambery/testkit';
import type { Peer, RawSocket } from '@openchambery/testkit';
import { expect } from 'vitest';

/** A stream of equal binary messages, each of which carries its number. */
export interface Flow {
  /** Messages that the kernel has taken so far. */
  readonly sent: () => number;
  /** Resolves when all are sent; rejects when the socket goes first. */
  readonly done: Promise<void>;
}

export interface FlowOptions {
  readonly count: number;
  readonly bytes: number;
}

/** Starts to send `count` numbered messages, one after the other as TCP takes them. */
export function startFlow(from: Peer, { count, bytes }: FlowOptions): Flow {
  let sent = 0;
  const run = async (): Promise<void> => {
    for (let i = 0; i < count; i++) {
      await from.send(numbered(i, bytes));
      sent += 1;
      // While the kernel takes all at once, nothing else of this process would run.
      if (i % 4 === 3) await nextTurn();
    }
  };
  const done = run();
  done.catch(() => 'reported to whoever awaits done');
  return { sent: () => sent, done };
}

/** Takes `count` numbered messages and checks that none is missing, changed or out of order. */
export async function expectFlow(to: Peer, { count, bytes }: FlowOptions): Promise<void> {
  for (let i = 0; i < count; i++) {
    const { data } = await to.message();
    expectNumbered(data, i, bytes);
  }
}

export function expectNumbered(data: Buffer, number: number, bytes: number): void {
  const right = data.length === bytes && data.equals(numbered(number, bytes));
  if (!right) expect({ bytes: data.length, number: data.readUInt32BE(0) }).toEqual({ bytes, number });
  expect(right, `message ${number} has been changed`).toBe(true);
}

/** Waits until `read` has given the same value for `stillMs`; gives back that value. */
export async function untilStill(read: () => number, stillMs = 1000): Promise<number> {
  let value = read();
  let since = performance.now();
  const end = since + 15_000;
  while (performance.now() - since < stillMs) {
    await delay(50);
    const next = read();
    if (next !== value) since = performance.now();
    value = next;
    if (performance.now() > end) throw new Error(`still moving after 15 s, at ${value}`);
  }
  return value;
}

/** Reads and forgets up to `budgetBytes` each time more is allowed; stands still in between. */
export function takeSlowly(
  raw: RawSocket,
  budgetBytes: number,
): { readonly allowMore: (bytes?: number) => void } {
  let budget = 0;
  raw.discarding = true;
  raw.socket.on('data', (chunk: Buffer) => {
    budget -= chunk.length;
    if (budget <= 0) raw.pause();
  });
  raw.pause();
  return {
    allowMore: (bytes = budgetBytes) => {
      budget = bytes;
      raw.resume();
    },
  };
}

/**
 * Sends messages of 10 000 bytes until the relay reads no more; gives back how many. For a Client whose Host has not
 * attached yet: no kernel buffer towards a reader blurs it, and a pong tells that all before its ping was read.
 */
export async function fillPending(client: Peer): Promise<number> {
  let count = 0;
  for (let isRead = true; isRead && count < 5000; ) {
    void client.send(Buffer.alloc(10_000));
    isRead = await client.roundTrip(1500).then(
      () => true,
      () => false,
    );
    count += 1;
  }
  return count;
}

/** The middle of the times in ms that `attempt` takes. */
export async function medianMs(times: number, attempt: () => Promise<void>): Promise<number> {
  const all: number[] = [];
  for (let i = 0; i < times; i++) {
    const startedAt = performance.now();
    await attempt();
    all.push(performance.now() - startedAt);
  }
  return all.toSorted((a, b) => a - b)[Math.floor(times / 2)] ?? Number.NaN;
}

function numbered(number: number, bytes: number): Buffer {
  const message = Buffer.alloc(bytes, number);
  message.writeUInt32BE(number);
  return message;
}
