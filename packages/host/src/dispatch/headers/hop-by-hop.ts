/**
 * What concerns one connection only and is never passed on (RFC 9110 sections 7.6.1 and 11.7), and what the next
 * connection finds for itself.
 */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authentication-info',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'content-length',
]);

/** Whether a header stays on its connection: by its lower-case name, or because `connection` names it. */
export function isHopByHop(name: string, named: ReadonlySet<string>): boolean {
  return HOP_BY_HOP.has(name) || named.has(name);
}

/** The names in all values of a `connection` header, in lower case. */
export function connectionOptions(values: readonly string[]): ReadonlySet<string> {
  return new Set(values.flatMap((value) => value.split(',')).map((option) => option.trim().toLowerCase()));
}
