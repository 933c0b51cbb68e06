import { describeValue } from '@openchambery/daemon';
import { PushOptionError } from './push-option-error.ts';

const LOOPBACK_HOSTS: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

/**
 * Checks the URL of a service.
 * @throws {PushOptionError} when it is not usable; it never quotes the URL.
 */
export function resolveUrl(option: string, text: string | undefined): string {
  const expected = 'an https:// URL without user, query and fragment (http:// only for this machine)';
  if (typeof text !== 'string') throw refuse(option, expected, text);
  // Never quoted: a user or a query may hold a password, also where the rest is no URL.
  if (!URL.canParse(text)) throw new PushOptionError({ option, expected, got: 'a text that is no URL' });
  const { protocol, hostname, username, password, search, hash } = new URL(text);
  const isSafe = protocol === 'https:' || (protocol === 'http:' && LOOPBACK_HOSTS.includes(hostname));
  if (!isSafe || username !== '' || password !== '' || search !== '' || hash !== '' || /[?#]/.test(text)) {
    throw new PushOptionError({ option, expected, got: 'another kind of URL' });
  }
  return text;
}

/** An error about a value that is missing or may be quoted. */
export function refuse(option: string, expected: string, got: unknown): PushOptionError {
  return new PushOptionError({ option, expected, got: got === undefined ? 'none' : describeValue(got) });
}
