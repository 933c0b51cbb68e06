import { routeOf } from '../request/route.ts';
import type { PushRequest, PushResponse } from './push-request.ts';

/** The app as a fetch handler. */
export type AppFetch = (request: Request, env: { readonly push: PushRequest }) => Promise<Response>;

const NOT_FOUND: PushResponse = { status: 404, headers: { 'cache-control': 'no-store' }, body: '' };
/** What a caller hears of a fault. */
export const INTERNAL: PushResponse = {
  status: 500,
  headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
  body: '{"error":"internal"}',
};
/** Stands in the URL of a request where nobody looks. */
const ORIGIN = 'http://push.invalid';

/** Answers a request that came over anything but a socket of our own. */
export async function answerInProcess(push: PushRequest, fetch: AppFetch): Promise<PushResponse> {
  // A target may be anything, and many a one is no URL: only what is a route becomes one.
  const route = routeOf(push.method, push.target);
  if (route === undefined) return NOT_FOUND;
  const response = await fetch(new Request(`${ORIGIN}${route}`, { method: push.method }), { push });
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: await response.text(),
  };
}
