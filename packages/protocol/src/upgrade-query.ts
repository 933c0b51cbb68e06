import { isConnectionId, isServerId } from './ids.ts';
import { ROLES, type Role } from './role.ts';
import type { UpgradeFault, UpgradeFaultKind } from './upgrade-fault.ts';
import type { HostProof, UpgradeRequest } from './upgrade-request.ts';
import { utf8ByteLength } from './utf8.ts';

/** The version of the contract: the value of the field `v`. */
export const PROTOCOL_VERSION = '1';

const FIELDS = ['v', 'role', 'serverId', 'connectionId', 'ts', 'sig', 'pk', 'grant'] as const;
type Field = (typeof FIELDS)[number];
type Fields = ReadonlyMap<Field, string>;

const REQUIRED: Readonly<Record<Role, readonly Field[]>> = {
  client: ['v', 'role', 'serverId'],
  'host-control': ['v', 'role', 'serverId', 'ts', 'sig', 'pk'],
  'host-data': ['v', 'role', 'serverId', 'connectionId', 'ts', 'sig', 'pk'],
};

const OPTIONAL: Readonly<Record<Role, readonly Field[]>> = {
  client: ['grant'],
  'host-control': [],
  'host-data': [],
};

/** What bounds an upgrade's request target. */
export interface UpgradeTargetLimits {
  /** The only path that upgrades, starting with `/`; compared as sent, with no normalisation. */
  readonly path: string;
  /** Longest request target, in bytes. */
  readonly maxUrlBytes: number;
  /** Longest value of one field of the contract, in UTF-8 bytes after percent-decoding. */
  readonly maxFieldBytes: number;
}

/** A well-formed upgrade, or the first thing found wrong with it. */
export type ParsedUpgradeTarget =
  | { readonly ok: true; readonly upgrade: UpgradeRequest }
  | { readonly ok: false; readonly fault: UpgradeFault };

/**
 * Reads an upgrade from a raw request target. Never throws, whatever the target is.
 *
 * The first fault in this order is the one reported: length, path, repeated or oversized fields as they come, `v`,
 * `role`, missing fields, foreign fields, ids. Fields the contract does not know are skipped: newer apps may add some.
 *
 * @param target the target as it came, one character per byte: Node gives request targets as latin1 text.
 */
export function parseUpgradeTarget(target: string, limits: UpgradeTargetLimits): ParsedUpgradeTarget {
  if (target.length > limits.maxUrlBytes) {
    return refuse('url-too-long', `the request target is longer than ${limits.maxUrlBytes} bytes`);
  }
  const queryStart = target.indexOf('?');
  const path = queryStart === -1 ? target : target.slice(0, queryStart);
  if (path !== limits.path) return refuse('wrong-path', 'the path is not the one this relay serves');

  const fields = new Map<Field, string>();
  for (const [name, value] of splitQuery(queryStart === -1 ? '' : target.slice(queryStart + 1))) {
    if (!isField(name)) continue;
    if (fields.has(name)) return refuse('duplicate-field', `${name} is given twice`);
    if (utf8ByteLength(value) > limits.maxFieldBytes) {
      return refuse('field-too-long', `${name} is longer than ${limits.maxFieldBytes} bytes`);
    }
    fields.set(name, value);
  }
  return readFields(fields);
}

/** Writes the query of an upgrade, without a leading `?`, each value percent-encoded where it needs to be. */
export function formatUpgradeQuery(upgrade: UpgradeRequest): string {
  const query = new URLSearchParams({ v: PROTOCOL_VERSION, role: upgrade.role, serverId: upgrade.serverId });
  if (upgrade.role === 'client') {
    if (upgrade.grant !== undefined) query.set('grant', upgrade.grant);
    return query.toString();
  }
  if (upgrade.role === 'host-data') query.set('connectionId', upgrade.connectionId);
  query.set('ts', upgrade.ts);
  query.set('sig', upgrade.sig);
  query.set('pk', upgrade.pk);
  return query.toString();
}

/** Splits and decodes a query as browsers do (WHATWG URL, `application/x-www-form-urlencoded`), which never fails. */
function splitQuery(query: string): URLSearchParams {
  // A raw byte above 7F is a piece of UTF-8, not the latin1 character Node shows; escaped, it is decoded as one.
  const escaped = query.replace(/[\x80-\xff]/g, (byte) => `%${byte.charCodeAt(0).toString(16)}`);
  // URLSearchParams drops one leading `?`; this one is for it, so that `/ws??v=1` keeps the name `?v`.
  return new URLSearchParams(`?${escaped}`);
}

function readFields(fields: Fields): ParsedUpgradeTarget {
  const version = fields.get('v');
  if (version === undefined) return refuse('missing-field', 'v is missing');
  if (version !== PROTOCOL_VERSION) return refuse('bad-version', `v is not ${PROTOCOL_VERSION}`);
  const roleText = fields.get('role');
  if (roleText === undefined) return refuse('missing-field', 'role is missing');
  const role = ROLES.find((known) => known === roleText);
  if (role === undefined) return refuse('bad-role', `role is not one of ${ROLES.join(', ')}`);

  const missing = REQUIRED[role].find((name) => !fields.has(name));
  if (missing !== undefined) return refuse('missing-field', `${missing} is missing for role ${role}`);
  const foreign = [...fields.keys()].find((name) => !belongsTo(name, role));
  if (foreign !== undefined) return refuse('foreign-field', `${foreign} does not belong to role ${role}`);

  const upgrade = toUpgrade(fields, role);
  if (!isServerId(upgrade.serverId)) {
    return refuse('bad-server-id', 'serverId is not 32 bytes in canonical base64url');
  }
  if (upgrade.role === 'host-data' && !isConnectionId(upgrade.connectionId)) {
    return refuse('bad-connection-id', 'connectionId is not 16 bytes in canonical base64url');
  }
  return { ok: true, upgrade };
}

function toUpgrade(fields: Fields, role: Role): UpgradeRequest {
  // What is required is there by now; the fallback only satisfies the type of a map.
  const text = (name: Field): string => fields.get(name) ?? '';
  const serverId = text('serverId');
  if (role === 'client') {
    const grant = fields.get('grant');
    return grant === undefined ? { role, serverId } : { role, serverId, grant };
  }
  const proof: HostProof = { ts: text('ts'), sig: text('sig'), pk: text('pk') };
  if (role === 'host-control') return { role, serverId, ...proof };
  return { role, serverId, connectionId: text('connectionId'), ...proof };
}

function isField(name: string): name is Field {
  return FIELDS.some((field) => field === name);
}

function belongsTo(name: Field, role: Role): boolean {
  return REQUIRED[role].includes(name) || OPTIONAL[role].includes(name);
}

function refuse(kind: UpgradeFaultKind, detail: string): ParsedUpgradeTarget {
  return { ok: false, fault: { kind, detail } };
}
