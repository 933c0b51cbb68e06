import type { WireSocket } from './wire-socket.ts';

/**
 * Joins two sockets: the messages of each come out at the other, first those that `first` has held so far.
 * How one end's end concerns the other is for their owners to say.
 */
export function splice(first: WireSocket, second: WireSocket): void {
  first.sendTo(second);
  second.sendTo(first);
}
