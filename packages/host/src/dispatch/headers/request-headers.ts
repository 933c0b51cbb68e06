import { PAIRING_SECRET_HEADER, type TunnelHeaders } from '@openchambery/tunnel';
import { fieldsOfTunnel, type HeaderFields, isHeader } from './header-fields.ts';
import { connectionOptions, isHopByHop } from './hop-by-hop.ts';

/** Tells the target which of the Host's Clients asks. */
const CONNECTION_ID_HEADER = 'x-openchamber-relay-connection';

/**
 * What is not the Client's to say: `host` is the target's own, and an `expect` would be for the Host to fulfil, which has
 * the body coming anyway.
 */
const NOT_PASSED_ON: ReadonlySet<string> = new Set(['host', 'expect', PAIRING_SECRET_HEADER]);

/** The headers of a Client's request, sorted by who they are for. */
export interface RequestHeaders {
  /** For the target: by lower-case name, one value each. */
  readonly passedOn: Readonly<Record<string, string>>;
  /** For the policy; `undefined` also when several came. */
  readonly secret: string | undefined;
}

/** Sorts the headers of a request. `undefined`: one of them is not valid HTTP. */
export function parseRequestHeaders(
  headers: TunnelHeaders,
  connectionId: string,
): RequestHeaders | undefined {
  const fields = fieldsOfTunnel(headers);
  const named = connectionOptions(fields.get('connection') ?? []);
  const passedOn = new Map<string, string>();
  for (const [name, values] of fields) {
    if (NOT_PASSED_ON.has(name) || isHopByHop(name, named) || isLookAlike(name)) {
      continue;
    }
    // RFC 6265 section 5.4: a target that sees two cookie lines, or a comma, would misread them.
    const value = values.join(name === 'cookie' ? '; ' : ', ');
    if (!isHeader(name, value)) {
      return undefined;
    }
    passedOn.set(name, value);
  }
  // The Client never hears of a content coding: what the target would compress, the Host would have to unpack again, and
  // a range of something compressed could not be passed on at all.
  passedOn.set('accept-encoding', 'identity');
  passedOn.set(CONNECTION_ID_HEADER, connectionId);
  return { passedOn: Object.fromEntries(passedOn), secret: onlyValue(fields, PAIRING_SECRET_HEADER) };
}

/** The headers of a WebSocket's handshake: without those that the handshake makes itself. */
export function socketHeaders(passedOn: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(passedOn).filter(
      ([name]) => name !== 'origin' && name !== 'accept-encoding' && !name.startsWith('sec-websocket-'),
    ),
  );
}

/** CGI and its heirs write - as _ (RFC 3875 section 4.1.18), and would take such a header for the Host's own. */
function isLookAlike(name: string): boolean {
  return name.replaceAll('_', '-') === CONNECTION_ID_HEADER;
}

function onlyValue(fields: HeaderFields, name: string): string | undefined {
  const values = fields.get(name) ?? [];
  return values.length === 1 ? values[0] : undefined;
}
