import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Route, ROUTES } from '../../src/request/route.ts';
import type { Body } from '../support/bodies.ts';
import { PushHarness } from '../support/push-harness.ts';

const LIMITS = { sendLimitPerMinute: 100_000, registerLimitPerMinute: 100_000 };
const route = fc.constantFrom<Route>(...Object.values(ROUTES));

async function expectRefused(harness: PushHarness, route: Route, body: unknown): Promise<void> {
  const answer = await harness.post(route, body);
  expect([400, 401]).toContain(answer.status);
  expect(answer.body).toMatch(
    /^\{"error":"(?:invalid_request|unsupported_platform|timestamp|invalid_signature)"\}$/,
  );
  expect(answer.headers).toMatchObject({ 'cache-control': 'no-store', 'content-type': 'application/json' });
}

it('refuses any bytes and any JSON with a code of the contract, and touches nothing', async () => {
  const harness = new PushHarness({ limits: LIMITS });
  const bytes = fc.uint8Array({ maxLength: 200 }).map((array) => Buffer.from(array));
  await fc.assert(
    fc.asyncProperty(route, fc.oneof(bytes, fc.jsonValue()), (route, body) =>
      expectRefused(harness, route, body),
    ),
    { numRuns: 300 },
  );
  expect([harness.store.calls, harness.provider.sent, harness.totals.refusals.internal]).toEqual([
    [],
    [],
    undefined,
  ]);
});

it('refuses a request whose signed members were changed, whatever to', async () => {
  const harness = new PushHarness({ limits: LIMITS });
  const signedMembers: Record<Route, readonly string[]> = {
    [ROUTES.registerToken]: ['ts', 'token', 'platform', 'sig', 'publicKeyJwk'],
    [ROUTES.registerLiveActivityToken]: ['ts', 'token', 'platform', 'kind', 'sig', 'publicKeyJwk'],
    [ROUTES.unregisterLiveActivityToken]: ['ts', 'token', 'platform', 'kind', 'sig', 'publicKeyJwk'],
    [ROUTES.send]: ['ts', 'tokens', 'title', 'sig', 'publicKeyJwk'],
    [ROUTES.liveActivity]: ['ts', 'tokens', 'event', 'contentState', 'dismissalDate', 'sig', 'publicKeyJwk'],
  };
  const value = fc.oneof(
    fc.jsonValue(),
    fc.nat(),
    fc.constantFrom('end', ['ab'.repeat(32)], 'ab'.repeat(40), 'title'),
  );
  await fc.assert(
    fc.asyncProperty(route, fc.nat(), value, async (route, at, value) => {
      const good = harness.bodyFor(route);
      const names = signedMembers[route];
      const name = names[at % names.length] ?? '';
      const changed: Body = { ...good, [name]: value };
      fc.pre(JSON.stringify(changed) !== JSON.stringify(good));
      await expectRefused(harness, route, changed);
    }),
    { numRuns: 300 },
  );
  expect([harness.store.calls, harness.provider.sent]).toEqual([[], []]);
});

it('takes what was changed beside the signed members, as far as the contract has it', async () => {
  const harness = new PushHarness({ limits: { ...LIMITS, serverSendLimitPerMinute: 1000 } });
  const extras = fc.record({ body: fc.string({ maxLength: 50 }), badge: fc.nat(), unknown: fc.jsonValue() });
  await fc.assert(
    fc.asyncProperty(extras, async (members) => {
      const answer = await harness.post(ROUTES.send, { ...harness.send(), ...members });
      expect(answer.status).toBe(200);
    }),
    { numRuns: 50 },
  );
});
