import { delay } from '@openchambery/testkit';
import { expect, it } from 'vitest';
import { keepAliveAgent, request } from './support/http.ts';
import { ownRelay } from './support/relay.ts';

// layer1.md §1: an idle keep-alive connection outlives the 60–90 s of a usual proxy. It takes that long to see, so it is
// looked at on request only; http-deadline.test.ts looks at the first seconds and at what is announced.

const isAsked = process.env['OPENCHAMBER_E2E_SLOW'] === '1';

it.runIf(isAsked)('keeps an idle connection for longer than 90 s', { timeout: 120_000 }, async () => {
  const relay = await ownRelay({});
  const agent = keepAliveAgent();
  await request(relay, { path: '/healthz', agent });
  await delay(92_000);
  const answer = await request(relay, { path: '/healthz', agent });
  expect([answer.status, answer.reused]).toEqual([200, true]);
});
