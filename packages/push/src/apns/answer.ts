/** What the service answered to one push, as far as it got here. */
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
  const reason = json?.['reason'];
  return {
    status,
    retryAfter,
    reason: typeof reason === 'string' && REASON.test(reason) ? reason : undefined,
    timestamp: json?.['timestamp'],
  };
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
