import type { TunnelHeaders } from '@openchambery/tunnel';
import type { HeaderFields } from './header-fields.ts';
import { connectionOptions, isHopByHop } from './hop-by-hop.ts';

/**
 * The headers of an answer as they go to the Client. The content coding is taken off together with its header.
 * @param ownOrigin the target's origin, which means nothing to the Client: a redirect to it becomes a relative one
 */
export function formatResponseHeaders(fields: HeaderFields, ownOrigin: string | undefined): TunnelHeaders {
  const named = connectionOptions(fields.get('connection') ?? []);
  const headers = new Map<string, string | readonly string[]>();
  for (const [name, values] of fields) {
    if (name === 'content-encoding' || isHopByHop(name, named)) {
      continue;
    }
    if (name === 'set-cookie' && values.length > 1) {
      headers.set(name, values);
    } else if (name === 'location' && ownOrigin !== undefined) {
      headers.set(name, relativeLocation(values.join(', '), ownOrigin));
    } else {
      headers.set(name, values.join(', '));
    }
  }
  return Object.fromEntries(headers);
}

/** RFC 9110 section 10.2.2 allows a relative reference. */
function relativeLocation(location: string, ownOrigin: string): string {
  const url = URL.parse(location);
  // `//name/path` would be another host's.
  if (url === null || url.origin !== ownOrigin || url.pathname.startsWith('//')) {
    return location;
  }
  return `${url.pathname}${url.search}${url.hash}`;
}

/** Types whose readers wait for every line. */
const PROMPT_TYPES: ReadonlySet<string> = new Set([
  'text/event-stream',
  'application/x-ndjson',
  'application/ndjson',
  'application/jsonl',
]);

/**
 * How soon the bytes of an answer have to be with the Client. A body of unknown length is being made while it is sent, so
 * somebody may be waiting for each piece; one of known length is at best useful when it is whole.
 */
export function urgencyOf(fields: HeaderFields): 'prompt' | 'patient' {
  if (!fields.has('content-length')) {
    return 'prompt';
  }
  const type = fields.get('content-type')?.[0]?.split(';')[0] ?? '';
  return PROMPT_TYPES.has(type.trim().toLowerCase()) ? 'prompt' : 'patient';
}
