import { parseApnsKey } from '../apns/parse-apns-key.ts';
import { refuse, resolveUrl } from './operator-url.ts';
import { PushOptionError } from './push-option-error.ts';

/** What Apple's service has to be told, checked. */
export interface ApnsOptions {
  readonly apnsKeyId: string;
  readonly apnsTeamId: string;
  readonly apnsBundleId: string;
  /** PKCS#8 in PEM. */
  readonly apnsP8: string;
  readonly apnsProductionUrl: string;
  readonly apnsSandboxUrl: string;
}

/** Apple's own have 10 characters; what matters is that they fit into a header of a token. */
const ID_PATTERN = /^[A-Za-z0-9_-]{1,64}$/;
/** "CFBundleIdentifier", Apple; it becomes a header. */
const BUNDLE_ID_PATTERN = /^[A-Za-z0-9.-]{1,155}$/;

/**
 * Checks the options of APNs.
 * @throws {PushOptionError} for the first that is missing or not usable; it never quotes the key.
 */
export function resolveApnsOptions(given: { [Name in keyof ApnsOptions]?: ApnsOptions[Name] }): ApnsOptions {
  return {
    apnsKeyId: resolveText('apnsKeyId', given.apnsKeyId, {
      pattern: ID_PATTERN,
      expected: "the key's id, letters and digits",
    }),
    apnsTeamId: resolveText('apnsTeamId', given.apnsTeamId, {
      pattern: ID_PATTERN,
      expected: "the team's id, letters and digits",
    }),
    apnsBundleId: resolveText('apnsBundleId', given.apnsBundleId, {
      pattern: BUNDLE_ID_PATTERN,
      expected: 'a bundle ID: letters, digits, "." and "-"',
    }),
    apnsP8: resolveKey(given.apnsP8),
    apnsProductionUrl: resolveUrl('apnsProductionUrl', given.apnsProductionUrl),
    apnsSandboxUrl: resolveUrl('apnsSandboxUrl', given.apnsSandboxUrl),
  };
}

interface TextRule {
  readonly pattern: RegExp;
  readonly expected: string;
}

function resolveText(option: string, text: string | undefined, { pattern, expected }: TextRule): string {
  if (typeof text === 'string' && pattern.test(text)) return text;
  throw refuse(option, expected, text);
}

function resolveKey(p8: string | undefined): string {
  const expected = 'an APNs signing key: an EC P-256 private key in PKCS#8 PEM';
  if (typeof p8 !== 'string') throw refuse('apnsP8', expected, p8);
  // Variables can hardly hold line breaks.
  const pem = p8.replaceAll('\\n', '\n').trim();
  const parsed = parseApnsKey(pem);
  if (parsed.kind === 'key') return pem;
  throw new PushOptionError({ option: 'apnsP8', expected, got: `another text: ${parsed.problem}` });
}
