import { type NetConnectOpts, Socket, type SocketConnectOpts } from 'node:net';
import type { Duplex } from 'node:stream';

type WriteCallback = (error?: NodeJS.ErrnoException | null) => void;

/** What writing to a connection fails with that the other end has closed. */
const CLOSED_CODES: readonly (string | undefined)[] = ['EPIPE', 'ECONNRESET'];

/**
 * A connection to an origin that still reads what the origin said before it closed. An origin may answer an upload early
 * and close at once (RFC 9112 section 9.5): the next byte of the upload fails then, and an ordinary socket would be gone
 * with the answer unread. Here such bytes go nowhere, and reading comes to its own end, which is near.
 */
export class OriginSocket extends Socket {
  override _write(chunk: unknown, encoding: BufferEncoding, callback: WriteCallback): void {
    super._write(chunk, encoding, unlessClosed(callback));
  }

  override _writev(
    chunks: { readonly chunk: unknown; readonly encoding: BufferEncoding }[],
    callback: WriteCallback,
  ): void {
    super._writev?.([...chunks], unlessClosed(callback));
  }
}

function unlessClosed(callback: WriteCallback): WriteCallback {
  return (error) => {
    const isClosed = CLOSED_CODES.includes(error?.code);
    callback(isClosed ? undefined : error);
  };
}

/** Connects as Node's own agents do. */
export function connectOriginSocket(options: NetConnectOpts): Duplex {
  const socket = new OriginSocket(options);
  if (options.timeout !== undefined) {
    socket.setTimeout(options.timeout);
  }
  return socket.connect(options as SocketConnectOpts);
}
