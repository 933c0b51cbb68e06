import { eventually, FakeClock, startFakeApns } from '@openchambery/testkit';
import { expect, it } from 'vitest';
import { completeApnsOptions } from '../../src/apns/apns-options.ts';
import { Delivery } from '../../src/apns/delivery.ts';
import type { Loss } from '../../src/apns/loss.ts';
import { RequestHeaders } from '../../src/apns/request-headers.ts';
import { Session } from '../../src/apns/session.ts';
import { BUNDLE_ID, KEY, Lines, loopbackCertificate, makeNotification } from './rig.ts';

it('a push that is sent after the GOAWAY gets no stream, and that is known', async () => {
  const clock = new FakeClock();
  const apns = await startFakeApns({ certificate: await loopbackCertificate() });
  const url = new URL(apns.url);
  const options = completeApnsOptions({
    keyId: KEY.keyId,
    teamId: KEY.teamId,
    bundleId: BUNDLE_ID,
    key: KEY.p8,
    urls: { production: apns.url, sandbox: apns.url },
    ca: apns.caPem,
    clock,
    logger: new Lines(),
    hash: () => '',
  });
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
  const session = new Session({ url, options, owner });
  const headers = new RequestHeaders({ url, bundleId: BUNDLE_ID, epochMs: () => clock.epochMs() });
  const send = (): void => {
    const notification = makeNotification(clock);
    const delivery = new Delivery({ notification, admission: 'pass', resolve: () => undefined });
    session.send(delivery, headers.build(notification, 'bearer x'), 'bearer x');
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
