import { isConnectionId } from './ids.ts';

/** What the relay tells a Host on its control channel, as JSON text frames. */
export type ControlMessage =
  /** Every client the relay holds for the Host; always the first message. */
  | { readonly type: 'sync'; readonly connectionIds: readonly string[] }
  /** A client arrived and waits for the Host's data socket. */
  | { readonly type: 'connected'; readonly connectionId: string }
  /** A client that was announced is gone. */
  | { readonly type: 'disconnected'; readonly connectionId: string };

/** Writes a control message: no spaces, `type` first. */
export function formatControlMessage(message: ControlMessage): string {
  if (message.type === 'sync') {
    return JSON.stringify({ type: message.type, connectionIds: message.connectionIds });
  }
  return JSON.stringify({ type: message.type, connectionId: message.connectionId });
}

/**
 * Reads a control message. `undefined` for an unknown type, which a Host must ignore, and for anything malformed.
 * Unknown members are ignored. Never throws.
 */
export function parseControlMessage(text: string): ControlMessage | undefined {
  const value = parseJson(text);
  if (typeof value !== 'object' || value === null || !('type' in value)) return undefined;
  switch (value.type) {
    case 'sync':
      return 'connectionIds' in value ? readSync(value.connectionIds) : undefined;
    case 'connected':
    case 'disconnected':
      if (!('connectionId' in value) || !isConnectionIdValue(value.connectionId)) return undefined;
      return { type: value.type, connectionId: value.connectionId };
    default:
      return undefined;
  }
}

function readSync(connectionIds: unknown): ControlMessage | undefined {
  if (!Array.isArray(connectionIds)) return undefined;
  const ids: unknown[] = connectionIds;
  return ids.every(isConnectionIdValue) ? { type: 'sync', connectionIds: ids } : undefined;
}

function isConnectionIdValue(value: unknown): value is string {
  return typeof value === 'string' && isConnectionId(value);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Not JSON is one more way to be unknown; the caller ignores it like an unknown type.
    return undefined;
  }
}
