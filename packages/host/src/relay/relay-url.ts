import { describeValue, HostOptionError } from '../host-option-error.ts';

/** Takes a relay's URL without query and fragment. @throws {HostOptionError} when it is not one, or names a user. */
export function resolveRelayUrl(relayUrl: string | URL): string {
  const text = relayUrl instanceof URL ? relayUrl.href : relayUrl;
  const url = typeof text === 'string' && URL.canParse(text) ? new URL(text) : undefined;
  const hasUser = url !== undefined && (url.username !== '' || url.password !== '');
  if (url === undefined || hasUser || !['ws:', 'wss:'].includes(url.protocol)) {
    throw new HostOptionError({
      option: 'relayUrl',
      expected: 'a ws:// or wss:// URL without a user',
      // What stands before an @ may be a password.
      got: hasUser ? 'a URL with a user' : describeValue(text),
    });
  }
  url.search = '';
  url.hash = '';
  return url.href;
}
