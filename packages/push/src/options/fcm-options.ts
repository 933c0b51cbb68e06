import { parseServiceAccount } from '../fcm/service-account.ts';
import { refuse, resolveUrl } from './operator-url.ts';
import { PushOptionError } from './push-option-error.ts';

/** What Google's service has to be told, checked; without an account there is no FCM. */
export interface FcmOptions {
  /** The service account as JSON. */
  readonly fcmServiceAccountJson: string | undefined;
  readonly fcmUrl: string;
  /** Undefined means the one that the account names. */
  readonly fcmTokenUrl: string | undefined;
}

/**
 * Checks the options of FCM.
 * @throws {PushOptionError} for the first that is not usable; it never quotes the account.
 */
export function resolveFcmOptions(
  given: {
    [Name in keyof FcmOptions]?: FcmOptions[Name] | undefined;
  },
): FcmOptions {
  const { fcmServiceAccountJson: json, fcmTokenUrl } = given;
  return {
    fcmServiceAccountJson: json === undefined ? undefined : resolveAccount(json),
    fcmUrl: resolveUrl('fcmUrl', given.fcmUrl),
    fcmTokenUrl: fcmTokenUrl === undefined ? undefined : resolveUrl('fcmTokenUrl', fcmTokenUrl),
  };
}

function resolveAccount(json: string): string {
  const option = 'fcmServiceAccountJson';
  const expected = 'the JSON of a service account of Google';
  if (typeof json !== 'string') throw refuse(option, expected, typeof json);
  const parsed = parseServiceAccount(json);
  if (parsed.kind === 'account') return json;
  throw new PushOptionError({ option, expected, got: `another text: ${parsed.problem}` });
}
