import { RelayClientError } from '@openchambery/client';
import type { RelayClientErrorCode } from '@openchambery/client';
import { onOneLine } from '../cli/describe-value.ts';

/** What a program is told that gets no answer from the origin. */
export interface Failure {
  readonly status: number;
  /** For programs. */
  readonly error: string;
  /** One sentence for people. */
  readonly message: string;
}

/** RFC 9110 section 15.6: 502 something is wrong on the way, 503 it may be right again soon, 504 nobody answered. */
const ANSWERS: Readonly<Record<RelayClientErrorCode, Omit<Failure, 'message'> & { readonly what: string }>> =
  {
    ERR_RELAY_CLIENT_UNREACHABLE: {
      status: 502,
      error: 'relay_unreachable',
      what: 'The relay cannot be reached',
    },
    ERR_RELAY_CLIENT_HOST_UNAVAILABLE: {
      status: 503,
      error: 'host_unavailable',
      what: 'The Host is not connected to the relay; is expose running there?',
    },
    ERR_RELAY_CLIENT_REFUSED: {
      status: 502,
      error: 'relay_refused',
      what: 'The relay refuses this connection',
    },
    ERR_RELAY_CLIENT_HANDSHAKE: {
      status: 502,
      error: 'handshake_failed',
      what: 'The Host does not answer with the key of this pairing link',
    },
    ERR_RELAY_CLIENT_CONNECTION_LOST: {
      status: 502,
      error: 'connection_lost',
      what: 'The tunnel broke while the request was under way',
    },
    ERR_RELAY_CLIENT_CONNECT_TIMEOUT: {
      status: 504,
      error: 'connect_timeout',
      what: 'The tunnel did not come about in time',
    },
    ERR_RELAY_CLIENT_ABORTED_BY_HOST: {
      status: 502,
      error: 'aborted_by_host',
      what: 'The Host gave up on the request',
    },
    ERR_RELAY_CLIENT_REDIRECT: { status: 502, error: 'redirect', what: 'A redirect could not be followed' },
    ERR_RELAY_CLIENT_READER_STALLED: {
      status: 502,
      error: 'reader_stalled',
      what: 'The answer was not read for too long, and was given up',
    },
    ERR_RELAY_CLIENT_CLOSED: { status: 503, error: 'closed', what: 'openchamber-tunnel is about to stop' },
  };

/** What an error of the tunnel means to a program that waits for an answer. */
export function describeFailure(error: unknown): Failure {
  if (!(error instanceof RelayClientError)) {
    return {
      status: 502,
      error: 'tunnel_failed',
      message: 'The request could not be sent through the tunnel.',
    };
  }
  const { what, ...answer } = ANSWERS[error.code];
  return { ...answer, message: `${what}${reasonOf(error)}.` };
}

/** An error of the tunnel as a line for people; `undefined` for any other error. */
export function connectionFailure(error: unknown): string | undefined {
  if (!(error instanceof RelayClientError)) return undefined;
  return `${ANSWERS[error.code].what}${reasonOf(error)}`;
}

/** Why there is no connection, when nobody in particular asks. */
export function describeLoss(error: RelayClientError): string {
  const isQuiet = error.code === 'ERR_RELAY_CLIENT_CONNECTION_LOST';
  return `${isQuiet ? 'The tunnel broke' : ANSWERS[error.code].what}${reasonOf(error)}`;
}

/** What the relay or the Host said, if they did. */
function reasonOf({ reason, closeCode, code }: RelayClientError): string {
  const text = reason === undefined ? '' : onOneLine(reason, 200);
  const parts = [
    closeCode === undefined || code.endsWith('HOST_UNAVAILABLE') ? undefined : String(closeCode),
    text,
  ];
  const said = parts.filter((part) => part !== undefined && part !== '').join(': ');
  return said === '' ? '' : ` (${said})`;
}
