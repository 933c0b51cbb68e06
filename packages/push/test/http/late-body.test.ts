import { describe, expect, it } from 'vitest';
import { createPushApp } from '../../src/app.ts';
import { answerInProcess } from '../../src/http/in-process.ts';
import { ROUTES } from '../../src/request/route.ts';
import { PushHarness } from '../support/push-harness.ts';

describe('a request whose body is complete only after the shutdown has begun', () => {
  it('is refused as any other, and its text stays unused', async () => {
    const harness = new PushHarness();
    const app = createPushApp(harness.context);
    const body = harness.send();
    const answer = await answerInProcess(
      {
        method: 'POST',
        target: ROUTES.send,
        peerAddress: '192.0.2.1',
        forwardedFor: undefined,
        readBody: () => {
          harness.isDraining = true;
          return Promise.resolve(Buffer.from(JSON.stringify(body)));
        },
      },
      async (request, env) => app.fetch(request, env),
    );
    expect({ status: answer.status, body: answer.body }).toEqual({
      status: 503,
      body: '{"error":"shutting_down"}',
    });
    harness.isDraining = false;
    expect((await harness.post(ROUTES.send, body)).status).toBe(200);
  });
});
