import { describeValue, HostOptionError } from '../host-option-error.ts';

/** Where a relay in combined mode takes sends. */
const SEND_PATH = '/v1/push/send';

/** The routes of a push relay, by the last segment of their paths. */
export type PushRoute =
  | 'register-token'
  | 'register-live-activity-token'
  | 'unregister-live-activity-token'
  | 'send'
  | 'live-activity';

/** Where sends go when nothing else is said: the relay's own host. @param relayUrl `ws:` or `wss:`. */
export function deriveSendUrl(relayUrl: string): string {
  const url = new URL(relayUrl);
  url.protocol = url.protocol === 'ws:' ? 'http:' : 'https:';
  url.pathname = SEND_PATH;
  return url.href;
}

/**
 * Takes the URL of a push relay's send route; one without a path gets the usual one. Query and fragment are stripped.
 * @throws {HostOptionError} naming `option`.
 */
export function resolveSendUrl(given: string | URL, option: string): string {
  const text = given instanceof URL ? given.href : given;
  const url = typeof text === 'string' && URL.canParse(text) ? new URL(text) : undefined;
  const hasUser = url !== undefined && (url.username !== '' || url.password !== '');
  if (url === undefined || hasUser || !['http:', 'https:'].includes(url.protocol)) {
    throw new HostOptionError({
      option,
      expected: 'an http:// or https:// URL without a user',
      // What stands before an @ may be a password.
      got: typeof text === 'string' && text.includes('@') ? 'a URL with a user' : describeValue(text),
    });
  }
  if (url.pathname === '/') url.pathname = SEND_PATH;
  url.search = '';
  url.hash = '';
  return url.href;
}

/** The URL of a route, which sits beside the send route. */
export function routeUrl(sendUrl: string, route: PushRoute): string {
  return route === 'send' ? sendUrl : new URL(route, sendUrl).href;
}
