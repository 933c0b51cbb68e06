import type { IncomingMessage, ServerResponse } from 'node:http';
import { RawSocket, type FakeClock } from '@openchambery/testkit';
import { onTestFinished } from 'vitest';
import {
  answerPlainRequest,
  Listener,
  PlainRequestBudget,
  RawSocketLimiter,
  systemClock,
  type ConnectionDropped,
  type ListenerLimits,
  type Mount,
} from '../../src/index.ts';

/** A listener that listens, what it told, and how to reach it. */
export interface TestListener {
  readonly listener: Listener;
  readonly limiter: RawSocketLimiter;
  readonly drops: ConnectionDropped[];
  readonly faults: unknown[];
  readonly port: number;
  readonly connect: () => Promise<RawSocket>;
}

/** What a test listener differs in. */
export interface TestListenerOptions {
  readonly mounts?: readonly Mount[];
  readonly limits?: Partial<ListenerLimits>;
  readonly maxAdmissionsPerIp?: number;
  readonly clock?: FakeClock;
}

/** A listener without upgrades, as a daemon would make one; ends with the current test. */
export async function listen(options: TestListenerOptions = {}): Promise<TestListener> {
  const drops: ConnectionDropped[] = [];
  const faults: unknown[] = [];
  const onDrop = (drop: ConnectionDropped): void => void drops.push(drop);
  const clock = options.clock ?? systemClock;
  const limits = {
    handshakeMs: 5000,
    maxUrlBytes: 2048,
    closeDeadlineMs: 2000,
    admissionWindowMs: 60_000,
    maxAdmissionsPerIp: options.maxAdmissionsPerIp ?? 1000,
    maxAdmissionEntries: 100,
    ...options.limits,
  };
  const limiter = new RawSocketLimiter({ maxRawSockets: 1000, maxRawSocketsPerIp: 1000 }, onDrop);
  const budget = new PlainRequestBudget({ context: { limits, clock }, trustProxy: 'ignore', onDrop });
  const listener = new Listener(
    { limits, clock },
    {
      limiter,
      onDrop,
      admits: (request) => budget.admits(request),
      onRequest: (request, response) => answerPlainRequest(request, response, 'ready'),
      ...(options.mounts === undefined ? {} : { mounts: options.mounts }),
      onMountFault: (error) => void faults.push(error),
    },
  );
  await listener.listen('127.0.0.1', 0);
  onTestFinished(async () => {
    const closed = listener.close();
    await limiter.destroyAll();
    await closed;
  });
  const { port } = listener.address();
  const connect = async (): Promise<RawSocket> => {
    const raw = await RawSocket.connect({ port });
    onTestFinished(() => raw.destroy());
    return raw;
  };
  return { listener, limiter, drops, faults, port, connect };
}

/** A mount that owns `/mounted` and all below. */
export function mountOf(handle: Mount['handle']): Mount {
  return { owns: ({ url = '' }) => url.startsWith('/mounted'), handle };
}

/** Answers with a status and a text. */
export function answer(response: ServerResponse, status: number, text = ''): void {
  response.writeHead(status, { 'content-length': Buffer.byteLength(text) }).end(text);
}

/** A request in text; `headers` end in a line break each. */
export function post(headers: string, body = '', target = '/mounted'): string {
  return `POST ${target} HTTP/1.1\r\nHost: daemon.test\r\n${headers}\r\n${body}`;
}

/** A POST whose length is announced. */
export function postText(body: string, target?: string): string {
  return post(`Content-Length: ${Buffer.byteLength(body)}\r\n`, body, target);
}

/** A body in chunks of this many bytes each, with its end. */
export function chunked(body: string, chunkBytes: number): string {
  const chunks: string[] = [];
  for (let at = 0; at < body.length; at += chunkBytes) {
    const chunk = body.slice(at, at + chunkBytes);
    chunks.push(`${chunk.length.toString(16)}\r\n${chunk}\r\n`);
  }
  return `${chunks.join('')}0\r\n\r\n`;
}

/** Head of a request whose body comes in chunks. */
export const CHUNKED_HEAD: string = post('Transfer-Encoding: chunked\r\n');

/** The listeners that a body's reader leaves on a request. */
export function listenerCounts(request: IncomingMessage): Record<string, number> {
  const names = ['data', 'error', 'close'];
  return Object.fromEntries(names.map((name) => [name, request.listenerCount(name)]));
}
