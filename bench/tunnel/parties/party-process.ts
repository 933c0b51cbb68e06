import type { Server } from 'node:http';
import type { Word } from '../orders.ts';

/** Says that this process does its part, and ends it when its parent goes. */
export function ready(facts: Readonly<Record<string, string>>): void {
  say({ kind: 'ready', facts });
  // Ends by itself nowhere: sockets are open. What is left is the profile, which is written on the way out.
  process.on('disconnect', () => process.exit(0));
}

/** Tells the parent. */
export function say(word: Word): void {
  process.send?.(word);
}

/** The port of a server that listens. */
export function portOf(server: Server): number {
  const address = server.address();
  if (typeof address === 'object' && address !== null) return address.port;
  throw new Error('the server has no port');
}

/** An argument of this program; throws when it is missing. */
export function argument(index: number): string {
  const value = process.argv[2 + index];
  if (value === undefined) throw new Error(`argument ${index} is missing`);
  return value;
}
