import type { RawRequest, RawResponse, RawSocket } from '@openchambery/client';
import { Inbox } from '@openchambery/testkit';
import type { TunnelHeaders, TunnelSocket, TunnelSocketListener } from '@openchambery/tunnel';
import type { TunnelDoor } from '../../../src/connect/tunnel-door.ts';

/** A request that has reached the door, to be answered by the test. */
export interface Asked {
  readonly request: RawRequest;
  /** Answers with a body that the test writes. */
  readonly answer: (status: number, headers?: TunnelHeaders) => FakeBody;
  readonly fail: (error: unknown) => void;
  /** Resolves when the local side has given up on the answer. */
  readonly aborted: Promise<string>;
}

/** The body of an answer. */
export interface FakeBody {
  write(text: string): void;
  end(): void;
  fail(error: unknown): void;
}

/** A WebSocket that has reached the door, to be opened by the test. */
export interface AskedSocket {
  readonly path: string;
  readonly listener: TunnelSocketListener;
  readonly open: (socket: TunnelSocket) => void;
  readonly fail: (error: unknown) => void;
}

/** A tunnel whose far end is the test. */
export function createFakeDoor(): {
  door: TunnelDoor;
  asked: Inbox<Asked>;
  askedSockets: Inbox<AskedSocket>;
} {
  const askedSockets = new Inbox<AskedSocket>('WebSockets', ({ path }) => path);
  const asked = new Inbox<Asked>('requests', ({ request }) => `${request.method} ${request.path}`);
  const door: TunnelDoor = {
    request: (request) => {
      const { promise, resolve, reject } = Promise.withResolvers<RawResponse>();
      const aborted = Promise.withResolvers<string>();
      request.signal?.addEventListener('abort', () => {
        aborted.resolve('signal');
        reject(request.signal?.reason);
      });
      asked.push({
        request,
        answer: (status, headers = {}) => {
          const { body, far } = createBody();
          const abort = (reason: string): void => {
            aborted.resolve(reason);
            far.fail(new Error(reason));
          };
          resolve({ status, headers, body, abort });
          return far;
        },
        fail: reject,
        aborted: aborted.promise,
      });
      return promise;
    },
    openSocket: ({ path }, listener, signal) => {
      const { promise, resolve, reject } = Promise.withResolvers<RawSocket>();
      signal?.addEventListener('abort', () => reject(signal.reason));
      askedSockets.push({
        path,
        listener,
        open: (socket) => resolve({ socket, protocol: '' }),
        fail: reject,
      });
      return promise;
    },
  };
  return { door, asked, askedSockets };
}

function createBody(): { body: RawResponse['body']; far: FakeBody } {
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  const stream = new ReadableStream<Uint8Array>({ start: (given) => void (controller = given) });
  const reader = stream.getReader();
  return {
    body: {
      read: async () => (await reader.read()).value,
      discard: () => void reader.cancel(),
    },
    far: {
      write: (text) => controller?.enqueue(Buffer.from(text)),
      end: () => controller?.close(),
      fail: (error) => controller?.error(error),
    },
  };
}
