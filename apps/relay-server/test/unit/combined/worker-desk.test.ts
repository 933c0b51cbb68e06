import type { PushRequest, PushResponse } from '@openchambery/push';
import { describe, expect, it } from 'vitest';
import type { FromWorker, ToWorker } from '../../../src/combined/messages.ts';
import { WorkerDesk } from '../../../src/combined/worker-desk.ts';

const HEAD = {
  type: 'request',
  method: 'POST',
  target: '/v1/push/send',
  peerAddress: '192.0.2.1',
  forwardedFor: undefined,
} as const;
const ANSWER: PushResponse = { status: 200, headers: { a: 'b' }, body: '{}' };

function scenario(handle: (request: PushRequest) => Promise<PushResponse>) {
  const sent: FromWorker[] = [];
  const log: [Record<string, unknown>, string][] = [];
  const closing = Promise.withResolvers<void>();
  const ignore = (): void => undefined;
  const desk = new WorkerDesk({
    service: { handle, close: () => closing.promise },
    logger: {
      debug: ignore,
      info: ignore,
      warn: ignore,
      error: (fields, message) => void log.push([fields, message]),
    },
    post: (message) => void sent.push(message),
  });
  /** Tells the desk something, and lets all that follows from it happen. */
  const tell = async (...messages: ToWorker[]): Promise<void> => {
    for (const message of messages) desk.onMessage(message);
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { sent, log, closing, tell };
}

describe("the worker's desk", () => {
  it('makes a request of a message and a message of the answer', async () => {
    let request: PushRequest | undefined;
    const { sent, tell } = scenario((given) => {
      request = given;
      return Promise.resolve(ANSWER);
    });
    await tell({ ...HEAD, id: 1 });
    expect(request).toMatchObject({
      method: 'POST',
      target: '/v1/push/send',
      peerAddress: '192.0.2.1',
      forwardedFor: undefined,
    });
    expect(sent).toEqual([{ type: 'answer', id: 1, ...ANSWER }]);
  });

  it.each([new Uint8Array([1, 2]), 'too-large', 'aborted'] as const)(
    'asks for a body when it is wanted, and gets %j',
    async (body) => {
      const bodies: unknown[] = [];
      const { sent, tell } = scenario(async (request) => {
        bodies.push(await request.readBody(16));
        return ANSWER;
      });
      await tell({ ...HEAD, id: 1 });
      expect(sent).toEqual([{ type: 'body-wanted', id: 1, maxBytes: 16 }]);
      await tell({ type: 'body', id: 1, body });
      expect(bodies).toEqual([body]);
      expect(sent[1]).toMatchObject({ type: 'answer', id: 1 });
    },
  );

  it('tells a request whose client is gone that its body is aborted, and answers nobody', async () => {
    const bodies: unknown[] = [];
    const { sent, tell } = scenario(async (request) => {
      bodies.push(await request.readBody(16), await request.readBody(16));
      return ANSWER;
    });
    await tell({ ...HEAD, id: 1 }, { type: 'gone', id: 1 }, { type: 'gone', id: 1 });
    await tell({ type: 'body', id: 1, body: 'too-large' });
    expect(bodies).toEqual(['aborted', 'aborted']);
    expect(sent).toEqual([
      { type: 'body-wanted', id: 1, maxBytes: 16 },
      { type: 'forgotten', id: 1 },
    ]);
  });

  it('has said its last word with an answer', async () => {
    const { sent, tell } = scenario(() => Promise.resolve(ANSWER));
    await tell({ ...HEAD, id: 1 });
    await tell({ type: 'gone', id: 1 });
    expect(sent).toEqual([{ type: 'answer', id: 1, ...ANSWER }]);
  });

  it('answers 500 to a request that fails, and logs where, not what', async () => {
    const { sent, log, tell } = scenario(() => Promise.reject(new TypeError('SECRET')));
    await tell({ ...HEAD, id: 1 });
    expect(sent).toMatchObject([{ type: 'answer', status: 500, body: '{"error":"internal"}' }]);
    expect(log).toMatchObject([[{ error: 'TypeError' }, 'a request to push failed']]);
    expect(JSON.stringify(log)).not.toContain('SECRET');
  });

  it('keeps requests apart', async () => {
    const finish = new Map<string, (answer: PushResponse) => void>();
    const { sent, tell } = scenario(
      (request) => new Promise((resolve) => finish.set(request.target, resolve)),
    );
    await tell({ ...HEAD, id: 1, target: 'a' }, { ...HEAD, id: 2, target: 'b' }, { type: 'ping' });
    finish.get('b')?.({ ...ANSWER, body: 'b' });
    finish.get('a')?.({ ...ANSWER, body: 'a' });
    await tell();
    expect(sent).toEqual([
      { type: 'pong' },
      { type: 'answer', id: 2, ...ANSWER, body: 'b' },
      { type: 'answer', id: 1, ...ANSWER, body: 'a' },
    ]);
  });

  it('says when the service has closed', async () => {
    const { sent, closing, tell } = scenario(() => Promise.resolve(ANSWER));
    await tell({ type: 'close' });
    expect(sent).toEqual([]);
    closing.resolve();
    await tell();
    expect(sent).toEqual([{ type: 'closed' }]);
  });

  it('says so even when the service does not close properly', async () => {
    const { sent, log, closing, tell } = scenario(() => Promise.resolve(ANSWER));
    closing.reject(new Error('SECRET'));
    await tell({ type: 'close' });
    expect(sent).toEqual([{ type: 'closed' }]);
    expect(log).toMatchObject([[{ error: 'Error' }, 'push did not close properly']]);
    expect(JSON.stringify(log)).not.toContain('SECRET');
  });
});
