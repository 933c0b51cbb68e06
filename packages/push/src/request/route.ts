/** The routes of the API, by what they do. */
export const ROUTES = {
  registerToken: '/v1/push/register-token',
  registerLiveActivityToken: '/v1/push/register-live-activity-token',
  unregisterLiveActivityToken: '/v1/push/unregister-live-activity-token',
  send: '/v1/push/send',
  liveActivity: '/v1/push/live-activity',
} as const;

/** One of {@link ROUTES}. */
export type Route = (typeof ROUTES)[keyof typeof ROUTES];

const KNOWN: ReadonlyMap<string, Route> = new Map(Object.values(ROUTES).map((route) => [route, route]));

/** The route that a request line names, whatever query follows; undefined for everything else. */
export function routeOf(method: string, target: string): Route | undefined {
  if (method !== 'POST') return undefined;
  const queryStart = target.indexOf('?');
  return KNOWN.get(queryStart === -1 ? target : target.slice(0, queryStart));
}
