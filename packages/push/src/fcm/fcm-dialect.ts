import type { Answer } from '../gateway/answer.ts';
import type { Dialect, OutgoingRequest, Reading } from '../gateway/dialect.ts';
import type { Notification } from '../provider/push-provider.ts';
import type { Backoff } from './backoff.ts';
import { MAX_ANSWER_BYTES } from './fcm-answer.ts';
import { interpretAnswer } from './interpret-answer.ts';

/** In place of a payload: FCM is only asked whether it knows the token. */
export const PROBE: Buffer = Buffer.from('{}');

const CHECK_ACCOUNT =
  'check that the key of the service account is not revoked, and the clock of this machine (console.firebase.google.com)';
const CHECK_RIGHTS =
  'check that the FCM API (V1) is enabled for the project, and that the service account may send (role "Firebase Cloud Messaging API Admin")';
const CHECK_PROJECT =
  'check that the project of the service account is the one of the app, and the URL of FCM';

/** How FCM's HTTP v1 API is asked and what it answers. */
export class FcmDialect implements Dialect {
  readonly name = 'FCM';
  readonly title = 'FCM';
  readonly fields = { service: 'fcm' };
  readonly maxAnswerBytes: number = MAX_ANSWER_BYTES;
  readonly #backoff: Backoff;
  readonly #headers: readonly string[];

  /** @param url a path in front of `/v1/projects/…` is kept. */
  constructor(url: URL, projectId: string, backoff: Backoff) {
    this.#backoff = backoff;
    const path = `${url.pathname.replace(/\/+$/, '')}/v1/projects/${projectId}/messages:send`;
    const pseudo = [':method', 'POST', ':scheme', url.protocol.slice(0, -1), ':authority', url.host];
    this.#headers = [...pseudo, ':path', path, 'content-type', 'application/json'];
  }

  request(notification: Notification, bearer: string): OutgoingRequest {
    return { headers: [...this.#headers, 'authorization', bearer], body: bodyOf(notification) };
  }

  read(answer: Answer, epochMs: number): Reading {
    if (answer.status === 200) this.#backoff.worked();
    return interpretAnswer(answer, { epochMs, waitMs: () => this.#backoff.failed() });
  }

  goAwayReason(): undefined {
    return undefined;
  }

  checkFor(reason: string): string {
    if (reason === 'PERMISSION_DENIED') return CHECK_RIGHTS;
    if (reason === 'THIRD_PARTY_AUTH_ERROR') {
      return "check the project's own APNs key or Web Push key in the Firebase console";
    }
    return reason.startsWith('oauth-') || reason === 'UNAUTHENTICATED' ? CHECK_ACCOUNT : CHECK_PROJECT;
  }
}

/** The token needs no escapes: its form was checked at the edge. */
function bodyOf({ token, payload }: Notification): Buffer {
  if (payload === PROBE) return Buffer.from(`{"validate_only":true,"message":{"token":"${token}"}}`);
  return Buffer.concat([Buffer.from(`{"message":{"token":"${token}",`), payload.subarray(1), CLOSING_BRACE]);
}

const CLOSING_BRACE = Buffer.from('}');
