import { normaliseRelayUrl, RelayUrlError } from '@openchambery/tunnel';
import type { ParseText } from './settings.ts';

/** A relay's URL, without query and fragment. */
export const parseRelayUrl: ParseText<string> = (text) => {
  try {
    return { value: normaliseRelayUrl(text) };
  } catch (error) {
    if (!(error instanceof RelayUrlError)) throw error;
    // A user in it comes with a password.
    const expected = 'a ws:// or wss:// URL without user, such as wss://relay.example.org/ws';
    return { expected, isSecret: text.includes('@') };
  }
};
