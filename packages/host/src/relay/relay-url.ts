import { normaliseRelayUrl, RelayUrlError } from '@openchambery/tunnel';
import { describeValue, HostOptionError } from '../host-option-error.ts';

/** Takes a relay's URL without query and fragment. @throws {HostOptionError} naming `option` when it is not one. */
export function resolveRelayUrl(relayUrl: string | URL, option = 'relayUrl'): string {
  try {
    return normaliseRelayUrl(relayUrl);
  } catch (cause) {
    if (!(cause instanceof RelayUrlError)) throw cause;
    const fault = {
      option,
      expected: 'a ws:// or wss:// URL without a user',
      got: describeUrl(relayUrl),
    };
    throw new HostOptionError(fault, { cause });
  }
}

/** What stands before an @ may be a password, and a query may hold anything. */
function describeUrl(relayUrl: unknown): string {
  const text = relayUrl instanceof URL ? relayUrl.href : relayUrl;
  if (typeof text !== 'string') return describeValue(text);
  return text.includes('@') ? 'a URL with a user' : describeValue(text.split(/[?#]/, 1)[0]);
}
