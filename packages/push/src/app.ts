import { Hono } from 'hono';
import { liveActivity, register, send, unregister } from './http/handlers.ts';
import { answerNotFound } from './http/answer.ts';
import { answerFault, countRequest, limitByIp, readSigned, refuseWhileDraining } from './http/middleware.ts';
import type { PushBindings } from './http/variables.ts';
import type { PushContext } from './push-context.ts';
import { parseLiveActivity } from './request/parse-live-activity.ts';
import { parseLiveActivityRegistration, parseRegistration } from './request/parse-registration.ts';
import { parseSend } from './request/parse-send.ts';
import { ROUTES } from './request/route.ts';

/**
 * Every route and every step on its way, in order: count, refuse while draining, limit the IP before anything is
 * read, read and verify once, carry out.
 */
export function createPushApp(context: PushContext): Hono<PushBindings> {
  const { clock, platforms, registersByIp, sendsByIp } = context;
  const limitRegisters = limitByIp(context, { window: registersByIp, limit: 'registerLimitPerMinute' });
  const limitSends = limitByIp(context, { window: sendsByIp, limit: 'sendLimitPerMinute' });
  const app = new Hono<PushBindings>();

  app.onError(answerFault(context));
  app.notFound(answerNotFound);
  app.use(countRequest(context), refuseWhileDraining(context));

  app.post(
    ROUTES.registerToken,
    limitRegisters,
    readSigned(context, (json) => parseRegistration(json, platforms)),
    register(context, ROUTES.registerToken),
  );
  app.post(
    ROUTES.registerLiveActivityToken,
    limitRegisters,
    readSigned(context, parseLiveActivityRegistration),
    register(context, ROUTES.registerLiveActivityToken),
  );
  app.post(
    ROUTES.unregisterLiveActivityToken,
    limitRegisters,
    readSigned(context, parseLiveActivityRegistration),
    unregister(context, ROUTES.unregisterLiveActivityToken),
  );
  app.post(
    ROUTES.send,
    limitSends,
    readSigned(context, (json) => parseSend(json, platforms)),
    send(context),
  );
  app.post(
    ROUTES.liveActivity,
    limitSends,
    readSigned(context, (json) => parseLiveActivity(json, clock.epochMs())),
    liveActivity(context),
  );
  return app;
}
