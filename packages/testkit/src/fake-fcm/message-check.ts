import type { Answer } from '../fake-apns/reaction.ts';
import { fcmError } from './fcm-answer.ts';

const MAX_DATA_BYTES = 4096;
const RESERVED = /^(?:from$|message_type$|google\.|gcm\.)/;
const MAX_TTL_S = 2_419_200;

/** A request for one push as FCM reads it. */
export interface ReadMessage {
  readonly token: string;
  readonly isProbe: boolean;
}

/** The token and what it is asked for; empty when the request has none. */
export function readMessage(json: unknown): ReadMessage {
  const message = objectOf(objectOf(json)?.['message']);
  const token = message?.['token'];
  return {
    token: typeof token === 'string' ? token : '',
    isProbe: objectOf(json)?.['validate_only'] === true,
  };
}

/** Why FCM finds a message wrong ("REST Resource: projects.messages"), or undefined. */
export function refuseMessage(json: unknown): Answer | undefined {
  const message = objectOf(objectOf(json)?.['message']);
  if (message === undefined || readMessage(json).token === '') return invalid();
  const known = ['token', 'data', 'android'];
  if (Object.keys(message).some((name) => !known.includes(name))) return invalid();
  return isData(message['data']) && isAndroid(message['android']) ? undefined : invalid();
}

function isData(data: unknown): boolean {
  if (data === undefined) return true;
  const entries = Object.entries(objectOf(data) ?? { from: '' });
  let bytes = 0;
  for (const [key, value] of entries) {
    if (typeof value !== 'string' || RESERVED.test(key)) return false;
    bytes += Buffer.byteLength(key) + Buffer.byteLength(value);
  }
  return bytes <= MAX_DATA_BYTES;
}

function isAndroid(android: unknown): boolean {
  if (android === undefined) return true;
  const { priority = 'NORMAL', ttl = '0s', collapse_key: collapseKey = '' } = objectOf(android) ?? {};
  const seconds = typeof ttl === 'string' ? Number(/^(\d+)s$/.exec(ttl)?.[1]) : Number.NaN;
  return (
    (priority === 'NORMAL' || priority === 'HIGH') && seconds <= MAX_TTL_S && typeof collapseKey === 'string'
  );
}

function invalid(): Answer {
  return fcmError(400, { errorCode: 'INVALID_ARGUMENT', status: 'INVALID_ARGUMENT' });
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? (value as Record<string, unknown>) : undefined;
}
