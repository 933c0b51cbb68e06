import { delay } from '@openchambery/testkit';
import { expect, it } from 'vitest';
import { keepAliveAgent, request } from './support/http.ts';
import { ownRelay } from './support/relay.ts';

// An idle keep-alive connection outlives the 60–90 s of a usual proxy. It takes that long to see, in a file of its own so
// that others run meanwhile; http-deadline.test.ts looks at the first seconds and at what is announced.

it('keeps an idle connection for longer than 90 s', { timeout: 120_000 }, async () => {
  const relay = await ownRelay({});
  const agent = keepAliveAgent();
  await request(relay, { path: '/healthz', agent });
  await delay(92_000);
  const answer = await request(relay, { path: '/healthz', agent });
  expect([answer.status, answer.reused]).toEqual([200, true]);
});
