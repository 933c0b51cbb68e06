import type { IncomingHttpHeaders } from 'node:http2';
import type { Answer } from './reaction.ts';

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
const DEVICE_PATH = /^\/3\/device\/([\da-f]+)$/i;
const MAX_COLLAPSE_ID_BYTES = 64;
const MAX_PAYLOAD_BYTES = 4096;
const MAX_VOIP_PAYLOAD_BYTES = 5120;
const PRIORITIES: ReadonlySet<string> = new Set(['10', '5', '1']);

/** What is appended to the bundle id to make the topic of a push type; from "Sending notification requests to APNs". */
const TOPIC_SUFFIXES: ReadonlyMap<string, string> = new Map([
  ['alert', ''],
  ['background', ''],
  ['mdm', ''],
  ['location', '.location-query'],
  ['voip', '.voip'],
  ['complication', '.complication'],
  ['fileprovider', '.pushkit.fileprovider'],
  ['liveactivity', '.push-type.liveactivity'],
  ['pushtotalk', '.voip-ptt'],
  ['widgets', '.push-type.widgets'],
]);

/** The device token in a request's path, as sent; undefined for any other path. */
export function tokenOfPath(path: string): string | undefined {
  return DEVICE_PATH.exec(path)?.[1];
}

/** Why Apple refuses method or path, or undefined. */
export function refuseTarget(headers: IncomingHttpHeaders): Answer | undefined {
  if (headers[':method'] !== 'POST') return { status: 405, reason: 'MethodNotAllowed' };
  const path = headers[':path'] ?? '';
  if (path === '/3/device/' || path === '/3/device') return { status: 400, reason: 'MissingDeviceToken' };
  const token = tokenOfPath(path);
  if (token === undefined) return { status: 404, reason: 'BadPath' };
  return token.length % 2 === 0 ? undefined : { status: 400, reason: 'BadDeviceToken' };
}

/** Why Apple refuses the `apns-…` headers, or undefined; `topics` are bundle ids, undefined allows every topic. */
export function refuseHeaders(
  headers: IncomingHttpHeaders,
  topics: ReadonlySet<string> | undefined,
): Answer | undefined {
  const reason = headerFault(headers) ?? topicFault(headers, topics);
  return reason === undefined ? undefined : { status: 400, reason };
}

function headerFault(headers: IncomingHttpHeaders): string | undefined {
  const id = text(headers['apns-id']);
  if (id !== undefined && !UUID.test(id)) return 'BadMessageId';
  const type = text(headers['apns-push-type']);
  if (type !== undefined && !TOPIC_SUFFIXES.has(type)) return 'InvalidPushType';
  const priority = text(headers['apns-priority']);
  if (priority !== undefined && !PRIORITIES.has(priority)) return 'BadPriority';
  // A push nobody sees may not be urgent; without the header the priority is 10.
  if (type === 'background' && (priority ?? '10') === '10') return 'BadPriority';
  const expiration = text(headers['apns-expiration']);
  if (expiration !== undefined && !/^\d{1,15}$/.test(expiration)) return 'BadExpirationDate';
  const collapseId = text(headers['apns-collapse-id']) ?? '';
  return Buffer.byteLength(collapseId) > MAX_COLLAPSE_ID_BYTES ? 'BadCollapseId' : undefined;
}

function topicFault(
  headers: IncomingHttpHeaders,
  topics: ReadonlySet<string> | undefined,
): string | undefined {
  const topic = text(headers['apns-topic']) ?? '';
  if (topic === '') return 'MissingTopic';
  if (topics === undefined) return undefined;
  const suffix = TOPIC_SUFFIXES.get(text(headers['apns-push-type']) ?? 'alert') ?? '';
  const bundleId = topic.endsWith(suffix) ? topic.slice(0, topic.length - suffix.length) : undefined;
  return bundleId !== undefined && topics.has(bundleId) ? undefined : 'DeviceTokenNotForTopic';
}

/** Why Apple refuses a payload of `bytes` that parses to `payload`, or undefined. */
export function refusePayload(payload: unknown, bytes: number, pushType: unknown): Answer | undefined {
  if (bytes === 0) return { status: 400, reason: 'PayloadEmpty' };
  const limit = pushType === 'voip' ? MAX_VOIP_PAYLOAD_BYTES : MAX_PAYLOAD_BYTES;
  if (bytes > limit) return { status: 413, reason: 'PayloadTooLarge' };
  // Apple names no reason for this one; it is the nearest of its list.
  return hasAps(payload) ? undefined : { status: 400, reason: 'PayloadEmpty' };
}

function hasAps(payload: unknown): boolean {
  if (typeof payload !== 'object' || payload === null || !('aps' in payload)) return false;
  return typeof payload.aps === 'object' && payload.aps !== null && !Array.isArray(payload.aps);
}

function text(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === 'object' ? value.join(', ') : value;
}
