/** No answer of FCM is longer. */
export const MAX_ANSWER_BYTES = 16_384;

/** FCM's codes are words in capitals; anything else could be text that must not reach a log. */
const WORD = /^[A-Z_]{1,64}$/;
const FCM_ERROR = /(?:^|\/)google\.firebase\.fcm\.v1\.FcmError$/;

/** What FCM says in an answer that is not 200. */
export interface FcmError {
  /** `errorCode` of the FcmError in `error.details`; undefined when there is none. */
  readonly errorCode: string | undefined;
  /** `error.status`, which is coarser. */
  readonly status: string | undefined;
}

const NOTHING: FcmError = { errorCode: undefined, status: undefined };

/** Reads the body of an answer that is not 200 (Firebase, "ErrorCode"). */
export function parseFcmError(body: Buffer): FcmError {
  const error = memberOf(parse(body), 'error');
  const details = memberOf(error, 'details');
  const detail: unknown = Array.isArray(details) ? details.find(isFcmError) : undefined;
  return { errorCode: wordOf(memberOf(detail, 'errorCode')), status: wordOf(memberOf(error, 'status')) };
}

function parse(body: Buffer): unknown {
  if (body.length === 0) return NOTHING;
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    // Cut off or not FCM's: the status has to do.
    return NOTHING;
  }
}

function isFcmError(detail: unknown): boolean {
  const type = memberOf(detail, '@type');
  return typeof type === 'string' && FCM_ERROR.test(type);
}

function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  return (value as Readonly<Record<string, unknown>>)[name];
}

function wordOf(value: unknown): string | undefined {
  return typeof value === 'string' && WORD.test(value) ? value : undefined;
}
