import type { Refusal } from './refusal.ts';

/** The most that APNs takes ("Generating a remote notification", Apple). */
const MAX_PAYLOAD_BYTES = 4096;

/** Writes a payload as JSON, unless it is too large. */
export function encodePayload(payload: object): Buffer | Refusal {
  const bytes = Buffer.from(JSON.stringify(payload));
  if (bytes.length <= MAX_PAYLOAD_BYTES) return bytes;
  return { refusal: 'invalid_request', detail: `payload: more than ${MAX_PAYLOAD_BYTES} bytes` };
}
