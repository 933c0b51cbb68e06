import { randomBytes } from 'node:crypto';
import { maskedFrame } from './frames.ts';
import type { Peer } from './peer.ts';

/** A client and the host it reached, both played by the generator. */
export interface Pair {
  readonly client: Peer;
  readonly host: Peer;
}

/** Opens pairs through a relay or proxy. */
export interface PairSource {
  open(count: number): Promise<Pair[]>;
  /** Ends everything that is left, control connections too. */
  dispose(): void;
}

/** Drops both ends of every pair. */
export function discardPairs(pairs: readonly Pair[]): void {
  for (const pair of pairs) {
    pair.client.discard();
    pair.host.discard();
  }
}

/** Throws when any pair was closed from outside; a figure taken over broken pairs is no figure. */
export function assertPairsOpen(pairs: readonly Pair[]): void {
  for (const pair of pairs) {
    pair.client.assertOpen();
    pair.host.assertOpen();
  }
}

/** Sends one message each way and compares it, so that no rival gains by forwarding wrongly. */
export async function verifyPair(pair: Pair): Promise<void> {
  await verifyDirection(pair.client, pair.host);
  await verifyDirection(pair.host, pair.client);
}

async function verifyDirection(from: Peer, to: Peer): Promise<void> {
  const sent = randomBytes(1000);
  const frame = maskedFrame(sent);
  const received: Buffer[] = [];
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('a test message did not arrive within 5 s')), 5000);
    to.onPayload = (bytes) => received.push(Buffer.from(bytes));
    to.onMessage = () => {
      clearTimeout(timer);
      resolve();
    };
    from.socket.write(frame);
  });
  to.onPayload = undefined;
  to.onMessage = undefined;
  const got = Buffer.concat(received);
  // Through a raw TCP proxy the payload arrives masked, exactly as it was sent.
  if (!got.equals(sent) && !got.equals(frame.subarray(-sent.length))) {
    throw new Error('a message was changed on its way');
  }
}
