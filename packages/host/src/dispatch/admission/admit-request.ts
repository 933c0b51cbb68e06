import type { TunnelHeaders } from '@openchambery/tunnel';
import type { HostPolicy } from '../../relay-host.ts';
import { parseRequestHeaders } from '../headers/request-headers.ts';
import { REFUSAL, type Refusal } from '../refusal.ts';
import type { PathPolicy } from './path-policy.ts';
import { formatTarget, isQuery } from './request-target.ts';

/** A request as its Client sent it, whichever kind of stream it came on. */
export interface IncomingRequest {
  readonly connectionId: string;
  readonly kind: 'http' | 'websocket';
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: TunnelHeaders;
}

/** What stands between Clients and the target. */
export interface Gate {
  readonly isPathAllowed: PathPolicy;
  readonly admit: HostPolicy['admit'];
}

/** What became of a request at the gate. */
export type Decision =
  | {
      readonly isAdmitted: true;
      readonly method: string;
      /** Path and query, in ASCII. */
      readonly target: string;
      /** By lower-case name; without the pairing's secret. */
      readonly headers: Readonly<Record<string, string>>;
    }
  | { readonly isAdmitted: false; readonly refusal: Refusal };

/** RFC 9110 section 9.1: a token. Not CONNECT, which is no request to the target but for a tunnel through it. */
const METHOD = /^(?!connect$)[!#$%&'*+\-.^_`|~0-9a-z]+$/i;

/** Looks at a request before anybody else does: its path, its form, and last what the policy says. */
export async function admitRequest(request: IncomingRequest, gate: Gate): Promise<Decision> {
  if (!gate.isPathAllowed(request.path)) {
    return refuse(REFUSAL.pathNotAllowed);
  }
  if (!isQuery(request.query)) {
    return refuse(REFUSAL.invalidQuery);
  }
  if (!METHOD.test(request.method)) {
    return refuse(REFUSAL.invalidMethod);
  }
  const headers = parseRequestHeaders(request.headers, request.connectionId);
  if (headers === undefined) {
    return refuse(REFUSAL.invalidHeaders);
  }
  const refusal = await askPolicy(request, headers.secret, gate.admit);
  if (refusal !== undefined) {
    return refuse(refusal);
  }
  return {
    isAdmitted: true,
    method: request.method,
    target: formatTarget(request.path, request.query),
    headers: headers.passedOn,
  };
}

function refuse(refusal: Refusal): Decision {
  return { isAdmitted: false, refusal };
}

async function askPolicy(
  { connectionId, kind, method, path }: IncomingRequest,
  secret: string | undefined,
  admit: HostPolicy['admit'],
): Promise<Refusal | undefined> {
  if (admit === undefined) {
    return undefined;
  }
  try {
    const admission = await admit({ connectionId, kind, method, path, secret });
    return admission.isAllowed
      ? undefined
      : { status: admission.status, error: admission.error, message: admission.message };
  } catch {
    // Whatever it says may hold the secret; whoever wrote the policy catches what he wants to know of.
    return REFUSAL.policyFailed;
  }
}
