import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { FrameCounter } from './frame-counter.ts';
import { maskedFrame } from './frames.ts';

const OPCODE_CLOSE = 0x8;
const OPCODE_PING = 0x9;
const OPCODE_PONG = 0xa;
const HEAD_END = '\r\n\r\n';

/**
 * All sockets read into this one buffer: what they get is counted before the read callback returns. A larger one saves
 * system calls, but libuv fills it up to 32 times in a row, and others' latencies would be those of the generator.
 */
const readBuffer = Buffer.alloc(64 * 1024);

/** Where and how to connect. */
export interface Endpoint {
  readonly port: number;
  /** The upgrade query; without one the connection is raw TCP (through a proxy). */
  readonly query?: string;
  /** Sent as `X-Forwarded-For`, to come from another address. */
  readonly forwardedFor?: string;
}

/** One end of a relayed connection: a raw socket that counts what arrives and answers pings and closes. */
export class Peer {
  readonly socket: Socket;
  readonly counter: FrameCounter;
  /** Called after the last byte of each data message. */
  onMessage: (() => void) | undefined;
  /** Receives payload bytes where content matters (control messages, the check that a relay forwards truly). */
  onPayload: ((bytes: Buffer) => void) | undefined;
  /** Called once, when the connection ended from the other side. */
  onEnd: (() => void) | undefined;
  closeCode: number | undefined;
  closeReason = '';
  ended = false;
  #discarded = false;

  constructor(socket: Socket) {
    this.socket = socket;
    this.counter = new FrameCounter({
      onMessage: () => this.onMessage?.(),
      onPayload: (bytes) => this.onPayload?.(bytes),
      onControl: (opcode, payload) => this.#answerControl(opcode, payload),
    });
    socket.setNoDelay(true);
    socket.on('error', (error) => this.#end(error.message));
    socket.on('close', () => this.#end('connection closed'));
  }

  /** Drops the connection without a closing handshake, as a vanished peer does. */
  discard(): void {
    this.#discarded = true;
    this.socket.destroy();
  }

  /** Throws when the other side ended this connection. */
  assertOpen(): void {
    if (this.ended) {
      throw new Error(`connection lost: close code ${this.closeCode ?? 'none'}, ${this.closeReason}`);
    }
  }

  #answerControl(opcode: number, payload: Buffer): void {
    if (opcode === OPCODE_PING) {
      this.socket.write(maskedFrame(payload, OPCODE_PONG));
    }
    if (opcode === OPCODE_CLOSE) {
      this.closeCode = payload.length >= 2 ? payload.readUInt16BE(0) : 1005;
      this.closeReason = payload.subarray(2).toString();
      this.socket.end(maskedFrame(payload.subarray(0, 2), OPCODE_CLOSE));
    }
  }

  #end(reason: string): void {
    if (this.ended || this.#discarded) {
      return;
    }
    this.ended = true;
    this.closeReason ||= reason;
    this.onEnd?.();
  }
}

/** Wraps a socket that a listener accepted. */
export function acceptPeer(socket: Socket): Peer {
  const peer = new Peer(socket);
  socket.on('data', (chunk: Buffer) => peer.counter.push(chunk, chunk.length));
  return peer;
}

/** Connects, and upgrades when the endpoint has a query; rejects when the relay does not answer 101. */
export function connectPeer(endpoint: Endpoint, prepare?: (peer: Peer) => void): Promise<Peer> {
  return new Promise((resolve, reject) => {
    let head = endpoint.query === undefined ? undefined : '';
    const socket = connect({
      host: '127.0.0.1',
      port: endpoint.port,
      onread: {
        buffer: readBuffer,
        callback: (length) => {
          if (head === undefined) {
            peer.counter.push(readBuffer, length);
            return true;
          }
          // latin1 keeps one character per byte, so that frames behind the head can be found by position.
          head += readBuffer.toString('latin1', 0, length);
          const end = head.indexOf(HEAD_END);
          if (end < 0) {
            return true;
          }
          const rest = Buffer.from(head.slice(end + HEAD_END.length), 'latin1');
          if (!head.startsWith('HTTP/1.1 101')) {
            socket.destroy();
            reject(new Error(`upgrade refused: ${head.slice(0, 60)}`));
            return true;
          }
          head = undefined;
          resolve(peer);
          peer.counter.push(rest, rest.length);
          return true;
        },
      },
    });
    const peer = new Peer(socket);
    prepare?.(peer);
    socket.once('close', () => reject(new Error('closed before the upgrade was answered')));
    socket.once('connect', () => {
      if (endpoint.query === undefined) {
        resolve(peer);
      } else {
        socket.write(upgradeRequest(endpoint));
      }
    });
  });
}

function upgradeRequest(endpoint: Endpoint): string {
  const forwarded =
    endpoint.forwardedFor === undefined ? '' : `X-Forwarded-For: ${endpoint.forwardedFor}\r\n`;
  return (
    `GET /ws?${endpoint.query} HTTP/1.1\r\nHost: 127.0.0.1:${endpoint.port}\r\n${forwarded}` +
    'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n' +
    `Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}\r\n\r\n`
  );
}
