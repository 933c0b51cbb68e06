import type { Socket } from 'node:net';

interface HandleWithQueue {
  readonly writeQueueSize?: unknown;
}

/**
 * Bytes that the kernel has not yet taken of what is being written, or undefined where the socket does not tell
 * (it is closed, or not a plain TCP socket). Node's streams report a write only once all of it is taken; the
 * handle's own figure, which node:net uses for its idle timeout, also shows a receiver that takes a little.
 */
export function unsentBytes(socket: Socket): number | undefined {
  const handle = (socket as Socket & { _handle?: HandleWithQueue | null })._handle;
  const size = handle?.writeQueueSize;
  return typeof size === 'number' ? size : undefined;
}
