import { DROPS_BYTES, SMALL_BYTES, sinceLastDrop } from '../parties/origin-answers.ts';
import { type MessageSender, sendBytes } from '../parties/origin-sockets.ts';
import { BodyCounter } from '../pattern.ts';
import type { SocketRequest } from '../socket-request.ts';
import { expectCount } from './fetch-session.ts';
import type { Path, Session } from './session.ts';

/** A WebSocket, as far as it is used here. */
export interface MessageSocket extends MessageSender {
  send(data: string | Uint8Array, callback?: (error?: Error | null) => void): void;
  on(event: 'message', listener: (data: Buffer) => void): unknown;
  on(event: 'close', listener: (code: number) => void): unknown;
}

/** Requests over one WebSocket. */
export class SocketSession implements Session {
  readonly #socket: MessageSocket;
  #onMessage: (data: Buffer) => void = () => undefined;
  #onFailure: (error: Error) => void = () => undefined;

  constructor(socket: MessageSocket) {
    this.#socket = socket;
    socket.on('message', (data: Buffer) => {
      try {
        this.#onMessage(data);
      } catch (error) {
        this.#onFailure(error instanceof Error ? error : new Error(String(error)));
      }
    });
    socket.on('close', (code) => this.#onFailure(new Error(`a connection closed with ${code}`)));
  }

  async download(bytes: number): Promise<void> {
    const counter = new BodyCounter();
    await this.#exchange({ path: '/bytes', bytes }, (data) => {
      counter.add(data);
      return counter.bytes >= bytes;
    });
    expectCount(counter.bytes, bytes);
  }

  async upload(bytes: number): Promise<void> {
    let counted = 0;
    const answered = this.#exchange({ path: '/sink', bytes }, (data) => {
      counted = Number(data.toString());
      return true;
    });
    await Promise.all([sendBytes(this.#socket, bytes), answered]);
    expectCount(counted, bytes);
  }

  async small(): Promise<void> {
    let length = 0;
    await this.#exchange({ path: '/small', bytes: SMALL_BYTES }, (data) => {
      ({ length } = data);
      return true;
    });
    expectCount(length, SMALL_BYTES);
  }

  async drops(): Promise<number> {
    const parts: Buffer[] = [];
    await this.#exchange({ path: '/drops', bytes: DROPS_BYTES }, (data) => {
      parts.push(data);
      return parts.length * SMALL_BYTES === DROPS_BYTES;
    });
    return sinceLastDrop(Buffer.concat(parts));
  }

  /** @param take gets each message; `true`: that was the last one */
  #exchange(request: SocketRequest, take: (data: Buffer) => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#onFailure = reject;
      this.#onMessage = (data) => {
        if (take(data)) resolve();
      };
      this.#socket.send(JSON.stringify(request));
    });
  }
}

/** A path of such sessions, each made when it is first wanted. */
export function socketPath(connect: () => Promise<SocketSession>): Path {
  const sessions: SocketSession[] = [];
  return {
    sessions: async (count) => {
      while (sessions.length < count) sessions.push(await connect());
      return sessions.slice(0, count);
    },
  };
}
