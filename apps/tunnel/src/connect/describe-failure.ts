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
const ANSWERS: Readonly<Record<RelayClientErrorCode, Omit<Failure, 'message'>>> = {
  ERR_RELAY_CLIENT_UNREACHABLE: { status: 502, error: 'relay_unreachable' },
  ERR_RELAY_CLIENT_HOST_UNAVAILABLE: { status: 503, error: 'host_unavailable' },
  ERR_RELAY_CLIENT_REFUSED: { status: 502, error: 'relay_refused' },
  ERR_RELAY_CLIENT_HANDSHAKE: { status: 502, error: 'handshake_failed' },
  ERR_RELAY_CLIENT_CONNECTION_LOST: { status: 502, error: 'connection_lost' },
  ERR_RELAY_CLIENT_CONNECT_TIMEOUT: { status: 504, error: 'connect_timeout' },
  ERR_RELAY_CLIENT_ABORTED_BY_HOST: { status: 502, error: 'aborted_by_host' },
  ERR_RELAY_CLIENT_REDIRECT: { status: 502, error: 'redirect' },
  ERR_RELAY_CLIENT_READER_STALLED: { status: 502, error: 'reader_stalled' },
  ERR_RELAY_CLIENT_CLOSED: { status: 503, error: 'closed' },
};

const HOST_AWAY: Omit<Failure, 'message'> = { status: 503, error: 'host_unavailable' };

/** What an error of the tunnel means to a program that waits for an answer. */
export function describeFailure(error: unknown): Failure {
  if (!(error instanceof RelayClientError)) {
    return {
      status: 502,
      error: 'tunnel_failed',
      message: 'The request could not be sent through the tunnel.',
    };
  }
  const answer = isHostAway(error) ? HOST_AWAY : ANSWERS[error.code];
  return { ...answer, message: `${describeClientError(error)}.` };
}

/** An error of the tunnel as a line for people; `undefined` for any other error. */
export function connectionFailure(error: unknown): string | undefined {
  return error instanceof RelayClientError ? describeClientError(error) : undefined;
}

/** The Client's own words as a sentence, with what to look at. */
export function describeClientError(error: RelayClientError): string {
  const text = onOneLine(error.message).replace(/\.$/, '');
  const hint = isHostAway(error) ? '; is openchamber-tunnel expose running there?' : '';
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}${hint}`;
}

/** The relay was there, and closed what it had opened: it is the Host that does not come. */
function isHostAway({ code, closeCode }: RelayClientError): boolean {
  if (code === 'ERR_RELAY_CLIENT_HOST_UNAVAILABLE') return true;
  return code === 'ERR_RELAY_CLIENT_UNREACHABLE' && closeCode !== undefined && closeCode !== 1006;
}
