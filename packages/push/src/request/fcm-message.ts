import type { DataEntries } from './data-entries.ts';
import type { Refusal } from './refusal.ts';

/** The most that FCM takes, keys and values together (Firebase, "About FCM messages"). */
const MAX_DATA_BYTES = 4096;
/** As long as Apple is asked to keep an alert: a day. */
const TTL = '86400s';
/** What FCM keeps for itself (Firebase, "REST Resource: projects.messages", `data`). */
const RESERVED = /^(?:from$|message_type$|google\.|gcm\.)/;
/** What the alert itself is put under. */
const OWN: ReadonlySet<string> = new Set(['title', 'body', 'collapseId', 'badge']);

/** An alert, as an app on Android gets it; an empty text counts as absent. */
export interface FcmAlert {
  readonly title: string;
  readonly body: string;
  readonly badge?: number;
  readonly collapseId: string;
  readonly data: DataEntries;
}

/**
 * Writes an alert as FCM's `message` without its token. Everything is in `data`, so that the app alone decides what is
 * shown. A key that is taken already is refused, or one of the two texts would be lost in silence.
 */
export function encodeFcmMessage(alert: FcmAlert): Buffer | Refusal {
  const { title, body, badge, collapseId } = alert;
  if (Object.keys(alert.data).some((key) => RESERVED.test(key) || OWN.has(key))) {
    return { refusal: 'invalid_request', detail: 'data: a key that Android tokens cannot have' };
  }
  const own = {
    title,
    ...(body === '' ? {} : { body }),
    ...(collapseId === '' ? {} : { collapseId }),
    ...(badge === undefined ? {} : { badge: String(badge) }),
  };
  const data = { ...own, ...alert.data };
  let dataBytes = 0;
  for (const [key, value] of Object.entries(data))
    dataBytes += Buffer.byteLength(key) + Buffer.byteLength(value);
  if (dataBytes > MAX_DATA_BYTES) {
    return { refusal: 'invalid_request', detail: `data: more than ${MAX_DATA_BYTES} bytes for Android` };
  }
  const collapseKey = collapseId === '' ? {} : { collapse_key: collapseId };
  return Buffer.from(JSON.stringify({ data, android: { priority: 'HIGH', ttl: TTL, ...collapseKey } }));
}
