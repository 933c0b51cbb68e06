import type { TokenResult } from './push-outcome.ts';

/** An APNs device token: 64 to 512 hexadecimal digits, an even number of them. */
const DEVICE_TOKEN = /^(?:[0-9A-Fa-f]{2}){32,256}$/;

/** Whether a push relay would take `token` for one; tokens come from apps, so anything may come. */
export function isDeviceToken(token: string): boolean {
  return typeof token === 'string' && DEVICE_TOKEN.test(token);
}

/** Reads the answer to a send of `tokens`; `undefined` when it is none. A token without a row was not delivered. */
export function parseResults(tokens: readonly string[], json: unknown): readonly TokenResult[] | undefined {
  if (typeof json !== 'object' || json === null || !('results' in json)) return undefined;
  if (!Array.isArray(json.results)) return undefined;
  const rows = new Map<string, { readonly isDelivered: boolean; readonly isDropped: boolean }>();
  for (const row of json.results as unknown[]) {
    if (typeof row !== 'object' || row === null || !('token' in row && 'ok' in row)) return undefined;
    const { token, ok } = row;
    if (typeof token !== 'string' || typeof ok !== 'boolean') return undefined;
    rows.set(token, { isDelivered: ok, isDropped: !ok && 'drop' in row && row.drop === true });
  }
  return tokens.map((token) => ({ token, ...(rows.get(token) ?? { isDelivered: false, isDropped: false }) }));
}
