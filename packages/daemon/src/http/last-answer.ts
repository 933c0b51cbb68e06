import type { Socket } from 'node:net';
import type { Clock } from '@openchambery/wire';
import type { ListenerLimits } from './listener-limits.ts';

/** What times the end of a connection. */
export interface EndTiming {
  readonly clock: Clock;
  readonly limits: Pick<ListenerLimits, 'closeDeadlineMs'>;
}

/** Ends a connection that is HTTP no more with an answer without a body. */
export function giveLastAnswer(socket: Socket, status: string, timing: EndTiming): void {
  // Resets: `close` follows.
  socket.on('error', () => socket.destroy());
  destroyInTime(socket, timing);
  socket.end(
    `HTTP/1.1 ${status}\r\nConnection: close\r\nCache-Control: no-store\r\nContent-Length: 0\r\n\r\n`,
    () => socket.destroy(),
  );
}

/** A peer that reads nothing would keep a connection for ever whose last answer is written. */
export function destroyInTime(socket: Socket, { clock, limits }: EndTiming): void {
  const timer = clock.setTimer(() => socket.destroy(), limits.closeDeadlineMs);
  socket.once('close', () => timer.cancel());
}
