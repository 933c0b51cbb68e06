import type { Answer } from '../fake-apns/reaction.ts';

/** An error as FCM words it; without a code there is no FcmError among its details. */
export interface FcmErrorOptions {
  readonly errorCode?: string;
  /** `error.status`. */
  readonly status?: string;
  readonly retryAfter?: number | string;
}

/** The answer of FCM with an error, as "ErrorCode" of Firebase shows it. */
export function fcmError(httpStatus: number, options: FcmErrorOptions = {}): Answer {
  const { errorCode, status = 'UNKNOWN', retryAfter } = options;
  const type = 'type.googleapis.com/google.firebase.fcm.v1.FcmError';
  const details = errorCode === undefined ? [] : [{ '@type': type, errorCode }];
  const error = { code: httpStatus, message: 'Requested entity was not found.', status, details };
  return {
    status: httpStatus,
    ...(retryAfter === undefined ? {} : { retryAfter }),
    headers: { 'content-type': 'application/json; charset=UTF-8' },
    body: JSON.stringify({ error }),
  };
}

/** The answer of FCM to a push that it takes. */
export function fcmAccepted(projectId: string, id: number): Answer {
  return {
    status: 200,
    headers: { 'content-type': 'application/json; charset=UTF-8' },
    body: JSON.stringify({ name: `projects/${projectId}/messages/${id}` }),
  };
}
