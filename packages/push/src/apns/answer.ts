/** What Apple's service answered to one push, read. */
export interface Answer {
  /** HTTP status, 200 or more. */
  readonly status: number;
  /** Apple's word for it; undefined when the body is missing, cut off or no such JSON. */
  readonly reason: string | undefined;
  /** `timestamp` of a 410 as it came. */
  readonly timestamp: unknown;
  /** The header as it came. */
  readonly retryAfter: unknown;
}

/** More is no answer of Apple's: its bodies have under 100 bytes. */
export const MAX_ANSWER_BYTES = 4096;

/** Apple's reasons are single words; anything else could be text that must not reach a log. */
const REASON = /^[A-Za-z]{1,64}$/;

/** Reads the body of an answer that is not 200. */
export function parseAnswer(parts: {
  readonly status: number;
  readonly body: Buffer;
  readonly retryAfter: unknown;
}): Answer {
  const { status, retryAfter } = parts;
  const json = parseObject(parts.body);
  return { status, retryAfter, reason: reasonOf(json), timestamp: json?.['timestamp'] };
}

/** The reason that Apple's JSON gives, in a GOAWAY for instance; undefined when it is no such JSON. */
export function parseReason(body: Buffer): string | undefined {
  return body.length > MAX_ANSWER_BYTES ? undefined : reasonOf(parseObject(body));
}

function reasonOf(json: Record<string, unknown> | undefined): string | undefined {
  const reason = json?.['reason'];
  return typeof reason === 'string' && REASON.test(reason) ? reason : undefined;
}

function parseObject(body: Buffer): Record<string, unknown> | undefined {
  if (body.length === 0) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(body.toString('utf8'));
  } catch {
    // Cut off or not Apple's: the status has to do.
    return undefined;
  }
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
}
