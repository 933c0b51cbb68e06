import { PAIRING_SECRET_HEADER, type TunnelHeaders } from '@openchambery/tunnel';

/** Headers of the Fetch API, as they travel. */
export function toTunnelHeaders(headers: Headers): TunnelHeaders {
  return Object.fromEntries(headers);
}

/** Headers of an answer for the Fetch API; the tunnel has checked them. Browsers leave out `set-cookie`, on their own. */
export function fromTunnelHeaders(headers: TunnelHeaders): Headers {
  const result = new Headers();
  for (const [name, values] of Object.entries(headers)) {
    for (const value of typeof values === 'string' ? [values] : values) result.append(name, value);
  }
  return result;
}

/**
 * What goes with a request: names in lower case, and the pairing's secret. What a program says in its place is left out,
 * for it may only be passing on what somebody else said.
 */
export function withSecret(headers: TunnelHeaders, secret: string | undefined): TunnelHeaders {
  const entries = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  const others = entries.filter(([name]) => name !== PAIRING_SECRET_HEADER);
  return Object.fromEntries(
    secret === undefined ? others : [...others, [PAIRING_SECRET_HEADER, secret] as const],
  );
}
