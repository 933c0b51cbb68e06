import { Socket, type SocketConstructorOpts } from 'node:net';

/** Who hears what happens on a connection. */
export interface TransportPeer {
  /** Bytes from the peer; only good during the call. */
  onBytes(bytes: Buffer): void;
  /** The peer will send no more. */
  onFinish(): void;
  /** The connection is gone. Errors end here too. */
  onGone(): void;
}

/** One TCP connection. */
export interface Transport {
  /** The socket to write to, to pause and to destroy. */
  readonly socket: Socket;
  /** Names who hears of the connection. Call it at once: errors without a listener would end the process. */
  attach(peer: TransportPeer): void;
  /** Starts to read. */
  startReading(): void;
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
 * The new socket also sheds what http keeps on the old one. Bytes that wait in the old one, in either direction,
 * would be lost with it: such a connection stays where it is.
 */
export function takeOver(old: Socket, buffer: Buffer): Transport {
  const handle = (old as Socket & SocketWithHandle)._handle;
  const holdsBytes = old.readableLength > 0 || old.writableLength > 0;
  if (handle === undefined || handle === null || holdsBytes) return new OrdinaryTransport(old);
  (old as Socket & SocketWithHandle)._handle = null;
  const transport = new SharedBufferTransport(handle, buffer);
  // Without its handle this only tells the server that the old socket is gone.
  old.destroy();
  return transport;
}

/** A socket that reads into a buffer it shares with others. Its listeners are functions, not one closure each. */
class SharedBufferTransport extends Socket implements Transport {
  #peer: TransportPeer | undefined;

  constructor(handle: object, buffer: Buffer) {
    // The old socket reads already: `pauseOnCreate` stops that, or bytes would come before anyone wants them.
    const options = {
      handle,
      allowHalfOpen: true,
      pauseOnCreate: true,
      onread: { buffer, callback: onRead },
    };
    // The types know a documented kind of handle only.
    super(options as SocketConstructorOpts);
  }

  get socket(): Socket {
    return this;
  }

  attach(peer: TransportPeer): void {
    this.#peer = peer;
    this.on('error', destroyThis);
    this.on('end', onEnd);
    this.on('close', onClose);
  }

  startReading(): void {
    this.resume();
  }

  /** Node reads on in the tick after a `resume`, and starts the handle for it, also when `pause` came in between. */
  override read(size?: number): unknown {
    return this.isPaused() ? null : super.read(size);
  }

  receive(bytes: Buffer): void {
    this.#peer?.onBytes(bytes);
  }

  finish(): void {
    this.#peer?.onFinish();
  }

  leave(): void {
    this.#peer?.onGone();
    this.#peer = undefined;
  }
}

function onEnd(this: SharedBufferTransport): void {
  this.finish();
}

function onClose(this: SharedBufferTransport): void {
  this.leave();
}

/** Node calls it as a method of the socket that it has read. */
function onRead(this: unknown, bytes: number, buffer: Uint8Array): boolean {
  (this as SharedBufferTransport).receive((buffer as Buffer).subarray(0, bytes));
  return true;
}

/** Resets and failed writes; `close` follows. */
function destroyThis(this: Socket): void {
  this.destroy();
}

class OrdinaryTransport implements Transport {
  readonly socket: Socket;
  #peer: TransportPeer | undefined;

  constructor(socket: Socket) {
    this.socket = socket;
  }

  attach(peer: TransportPeer): void {
    this.#peer = peer;
    this.socket.on('error', destroyThis);
    this.socket.on('close', () => peer.onGone());
  }

  startReading(): void {
    this.socket.on('end', () => this.#peer?.onFinish());
    this.socket.on('data', (bytes: Buffer) => this.#peer?.onBytes(bytes));
    this.socket.resume();
  }
}
