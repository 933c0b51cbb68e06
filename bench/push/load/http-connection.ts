import { connect, type Socket } from 'node:net';
import { once } from 'node:events';
import type { SignedRequest } from './signed-requests.ts';

const HEAD_END = Buffer.from('\r\n\r\n');
const OK_STATUS = Buffer.from('HTTP/1.1 200 ');
const NOT_OK_ROW = Buffer.from('"ok":false');
const CONTENT_LENGTH = /\r\ncontent-length: (\d+)/i;

interface Pending {
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** A keep-alive connection with at most one request at a time; reads no more of HTTP/1.1 than the answers need. */
export class HttpConnection {
  readonly #socket: Socket;
  #pending: Pending | undefined;
  #received: Buffer = Buffer.alloc(0);
  /** Length of the answer under way, head included; 0 until the head is complete. */
  #answerBytes = 0;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', (chunk) => this.#onData(chunk));
    socket.on('error', (error) => this.#fail(error));
    socket.on('close', () => this.#fail(new Error('the connection was closed before the answer')));
  }

  static async open(port: number): Promise<HttpConnection> {
    const socket = connect({ host: '127.0.0.1', port, noDelay: true });
    await once(socket, 'connect');
    return new HttpConnection(socket);
  }

  /** Resolves when the answer is complete; rejects unless it is 200 and every row of it is `ok`. */
  request({ bytes }: SignedRequest): Promise<void> {
    if (this.#pending !== undefined) {
      throw new Error('one request at a time');
    }
    return new Promise((resolve, reject) => {
      this.#pending = { resolve, reject };
      this.#socket.write(bytes);
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #onData(chunk: Buffer): void {
    this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
    if (this.#answerBytes === 0) {
      const headBytes = this.#received.indexOf(HEAD_END);
      if (headBytes < 0) {
        return;
      }
      const length = CONTENT_LENGTH.exec(this.#received.toString('latin1', 0, headBytes))?.[1];
      if (length === undefined) {
        this.#fail(new Error('an answer without Content-Length'));
        return;
      }
      this.#answerBytes = headBytes + HEAD_END.length + Number(length);
    }
    if (this.#received.length >= this.#answerBytes) {
      this.#settle(this.#received);
    }
  }

  #settle(answer: Buffer): void {
    const pending = this.#pending;
    this.#pending = undefined;
    this.#received = Buffer.alloc(0);
    this.#answerBytes = 0;
    const isGood = answer.indexOf(OK_STATUS) === 0 && !answer.includes(NOT_OK_ROW);
    if (isGood) {
      pending?.resolve();
    } else {
      pending?.reject(new Error(`not what was expected: ${answer.toString('utf8').slice(0, 400)}`));
    }
  }

  #fail(error: Error): void {
    this.#pending?.reject(error);
    this.#pending = undefined;
    this.#socket.destroy();
  }
}
