import type { Socket } from 'node:net';

/**
 * Ends a socket with an RST. While a FIN is on its way out, Node cannot (`uv_tcp_close_reset` refuses) and would never emit
 * `close`: that is waited for.
 */
export function resetSocket(socket: Socket): void {
  const isFinishing = socket.writableEnded && !socket.writableFinished && socket.writableLength === 0;
  if (isFinishing) socket.once('finish', () => socket.resetAndDestroy());
  else socket.resetAndDestroy();
}
