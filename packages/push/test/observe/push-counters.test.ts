import { expect, it } from 'vitest';
import { PushCounters } from '../../src/observe/push-counters.ts';
import { ROUTES } from '../../src/request/route.ts';

it('counts from nothing', () => {
  expect(new PushCounters().totals()).toEqual({
    answers: {},
    refusals: {},
    deliveries: { production: {}, sandbox: {}, fcm: {} },
    unbound: 0,
    overloaded: 0,
    dropped: 0,
  });
});

it('counts each kind for itself', () => {
  const counters = new PushCounters();
  counters.countAnswer(ROUTES.send, 200);
  counters.countAnswer(ROUTES.send, 200);
  counters.countAnswer(ROUTES.send, 429);
  counters.countAnswer(ROUTES.registerToken, 200);
  counters.countRefusal('rate_limited');
  counters.countDelivery('production', 'accepted');
  counters.countDelivery('sandbox', 'mismatch');
  counters.countDelivery('sandbox', 'mismatch');
  counters.countUnbound();
  counters.countOverload();
  counters.countDropped(3);
  expect(counters.totals()).toEqual({
    answers: { '/v1/push/send 200': 2, '/v1/push/send 429': 1, '/v1/push/register-token 200': 1 },
    refusals: { rate_limited: 1 },
    deliveries: { production: { accepted: 1 }, sandbox: { mismatch: 2 }, fcm: {} },
    unbound: 1,
    overloaded: 1,
    dropped: 3,
  });
});

it('has one label for all paths that are no route', () => {
  const counters = new PushCounters();
  for (let index = 0; index < 100; index++) counters.countAnswer(`/${index}`, 404);
  counters.countAnswer('constructor', 404);
  expect(counters.totals().answers).toEqual({ 'other 404': 101 });
});

it('gives figures that do not change afterwards', () => {
  const counters = new PushCounters();
  counters.countAnswer(ROUTES.send, 200);
  const before = counters.totals();
  counters.countAnswer(ROUTES.send, 200);
  counters.countDelivery('sandbox', 'later');
  expect(before).toMatchObject({ answers: { '/v1/push/send 200': 1 }, deliveries: { sandbox: {} } });
});
