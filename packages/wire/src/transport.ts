import { Socket, type SocketConstructorOpts } from 'node:net';

/** One TCP connection, as its bytes come in. */
export interface Transport {
  /** The socket to write to, to pause and to destroy. */
  readonly socket: Socket;
  /** Starts to read. What `onBytes` gets is only good during the call. */
  read(onBytes: (bytes: Buffer) => void): void;
}

interface SocketWithHandle {
  _handle?: object | null;
}

/**
 * Takes over an upgraded connection so that all of them read into one buffer.
 *
 * Node allocates 64 KiB for every read of an ordinary socket, which costs more than all our own work: page faults,
 * cache misses and, above all, garbage collection. It offers reads into a given buffer (`onread`), but not for the
 * sockets of a server. So the connection's handle moves to a new socket that is made with `onread`. This leans on
 * two things that Node does not document, `_handle` and the constructor's `handle`; where the handle is missing
 * (a stand-in for a socket, another runtime), the connection is read in the ordinary way.
 *
 * The new socket also sheds what http keeps on the old one.
 */
export function takeOver(old: Socket, buffer: Buffer): Transport {
  const handle = (old as Socket & SocketWithHandle)._handle;
  if (handle === undefined || handle === null) return new OrdinaryTransport(old);
  (old as Socket & SocketWithHandle)._handle = null;
  const transport = new SharedBufferTransport(handle, buffer);
  // Without its handle this only tells the server that the old socket is gone.
  old.destroy();
  return transport;
}

class SharedBufferTransport implements Transport {
  readonly socket: Socket;
  #onBytes: ((bytes: Buffer) => void) | undefined;

  constructor(handle: object, buffer: Buffer) {
    const options = {
      handle,
      allowHalfOpen: true,
      manualStart: true,
      onread: {
        buffer,
        callback: (bytes: number): boolean => {
          this.#onBytes?.(buffer.subarray(0, bytes));
          return true;
        },
      },
    };
    // The types know a documented kind of handle only.
    this.socket = new Socket(options as SocketConstructorOpts);
  }

  read(onBytes: (bytes: Buffer) => void): void {
    this.#onBytes = onBytes;
    this.socket.resume();
  }
}

class OrdinaryTransport implements Transport {
  readonly socket: Socket;

  constructor(socket: Socket) {
    this.socket = socket;
  }

  read(onBytes: (bytes: Buffer) => void): void {
    this.socket.on('data', onBytes);
    this.socket.resume();
  }
}
