import { eventually, FakeClock, startFakeApns } from '@openchambery/testkit';
import { expect, it } from 'vitest';
import { createApnsDialect } from '../../src/apns/apns-dialect.ts';
import { Delivery } from '../../src/gateway/delivery.ts';
import type { Loss } from '../../src/gateway/loss.ts';
import { completeGatewayOptions } from '../../src/gateway/gateway-options.ts';
import { Session } from '../../src/gateway/session.ts';
import { BUNDLE_ID, Lines, loopbackCertificate, makeNotification } from './rig.ts';

it('a push that is sent after the GOAWAY gets no stream, and that is known', async () => {
  const clock = new FakeClock();
  const apns = await startFakeApns({ certificate: await loopbackCertificate() });
  const url = new URL(apns.url);
  const options = completeGatewayOptions({ ca: apns.caPem, clock, logger: new Lines(), hash: () => '' });
  const losses: Loss[] = [];
  let answeredCount = 0;
  let drainingCount = 0;
  const owner = {
    onRoom: () => undefined,
    onDraining: () => void (drainingCount += 1),
    onEnded: () => undefined,
    onAnswer: () => void (answeredCount += 1),
    onLost: (_delivery: Delivery, loss: Loss) => void losses.push(loss),
  };
  const dialect = createApnsDialect({
    environment: 'sandbox',
    url,
    bundleId: BUNDLE_ID,
    epochMs: () => clock.epochMs(),
  });
  const session = new Session({ url, options, dialect, owner });
  const send = (): void => {
    const notification = makeNotification(clock);
    const delivery = new Delivery({ notification, admission: 'pass', resolve: () => undefined });
    session.send(delivery, dialect.request(notification, 'bearer x'), 'bearer x');
  };
  await eventually(() => expect(session.hasRoom).toBe(true), { everyMs: 2 });
  apns.scriptAll({ fault: 'silence' });
  send();
  await apns.waitForRequests(1);
  apns.goAway();
  await eventually(() => expect(drainingCount).toBe(1), { everyMs: 2 });
  expect(session.hasRoom).toBe(false);
  send();
  await eventually(() => expect(losses).toEqual([{ kind: 'unsent' }]), { everyMs: 2 });
  session.terminate('closed');
  await session.closed;
  send();
  await eventually(() => expect(losses).toHaveLength(3), { everyMs: 2 });
  expect(losses).toEqual([{ kind: 'unsent' }, { kind: 'unknown', reason: 'closed' }, { kind: 'unsent' }]);
  expect(answeredCount).toBe(0);
  expect(apns.requestsTotal).toBe(1);
  expect(clock.pendingTimers).toBe(0);
  await apns.close();
});
