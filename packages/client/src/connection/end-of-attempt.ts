import { CLOSE_CODE, isTerminalForClient } from '@openchambery/protocol';
import { type ChannelEnd, HELLO } from '@openchambery/tunnel';
import { RelayClientError } from '../relay-client-error.ts';

/** What the end of a channel means to whoever used it. @param wasEstablished whether both ends had the keys. */
export function readChannelEnd(end: ChannelEnd, wasEstablished: boolean): RelayClientError {
  const facts = { closeCode: end.code, reason: end.reason };
  if (end.cause === 'peer') {
    if (isTerminalForClient(end.code)) {
      const message = `the relay refuses this connection: ${quote(end)}`;
      return new RelayClientError('ERR_RELAY_CLIENT_REFUSED', message, facts);
    }
    if (end.code === CLOSE_CODE.unavailable) {
      const message = `the relay does not reach the Host at the moment: ${quote(end)}`;
      return new RelayClientError('ERR_RELAY_CLIENT_HOST_UNAVAILABLE', message, facts);
    }
  }
  return wasEstablished ? lost(end) : notEstablished(end);
}

/** The error of channels that break again and again before one frame of the Host could be read. */
export function wrongKeyError(times: number, cause: RelayClientError): RelayClientError {
  const message =
    `the channel to the Host broke right after its first frames, ${times} times in a row: ` +
    "the key of this pairing may not be the Host's any more (pair again)";
  const { closeCode, reason } = cause;
  return new RelayClientError('ERR_RELAY_CLIENT_HANDSHAKE', message, { closeCode, reason, cause });
}

function notEstablished(end: ChannelEnd): RelayClientError {
  const facts = { closeCode: end.code, reason: end.reason };
  if (end.cause === 'handshake-timeout') {
    const seconds = HELLO.giveUpMs / 1000;
    const message = `the Host did not answer the handshake within ${seconds} s`;
    return new RelayClientError('ERR_RELAY_CLIENT_HANDSHAKE', message, { reason: end.reason });
  }
  if (end.cause === 'fault') {
    const message = `the Host answered the handshake wrongly: ${end.reason}`;
    return new RelayClientError('ERR_RELAY_CLIENT_HANDSHAKE', message, { reason: end.reason });
  }
  const message = `the relay closed the connection before the Host had answered: ${quote(end)}`;
  return new RelayClientError('ERR_RELAY_CLIENT_UNREACHABLE', message, facts);
}

function lost(end: ChannelEnd): RelayClientError {
  if (end.cause === 'silent') {
    const message = 'the connection to the Host gave no sign of life';
    return new RelayClientError('ERR_RELAY_CLIENT_CONNECTION_LOST', message, { reason: end.reason });
  }
  const message =
    end.cause === 'fault'
      ? `the connection was given up, for what came over it was wrong: ${end.reason}`
      : `the connection to the Host broke: ${quote(end)}`;
  const facts = { closeCode: end.code, reason: end.reason };
  return new RelayClientError('ERR_RELAY_CLIENT_CONNECTION_LOST', message, facts);
}

function quote(end: ChannelEnd): string {
  return end.reason === '' ? `close code ${end.code}` : `${end.reason} (${end.code})`;
}
