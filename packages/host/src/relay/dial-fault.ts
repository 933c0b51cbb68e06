/** What a person can do about an error code of Node: name look-up, TCP, TLS, HTTP parser. */
const BY_CODE: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens at the relay address; is the relay running, and is the port right?',
  ECONNRESET: 'the relay, or something in front of it, broke the connection off',
  ENOTFOUND: 'the relay host name does not exist; check the relay URL',
  EAI_AGAIN: 'the relay host name could not be looked up; is this machine online?',
  EHOSTUNREACH: 'there is no way to the relay; is this machine online?',
  ENETUNREACH: 'there is no way to the relay; is this machine online?',
  ENETDOWN: 'there is no way to the relay; is this machine online?',
  ETIMEDOUT: 'the relay did not answer',
  EPIPE: 'the relay, or something in front of it, broke the connection off',
  EPROTO:
    'TLS with the relay failed; if it does not speak TLS at this port, should the URL begin with ws://?',
  ERR_SSL_WRONG_VERSION_NUMBER: 'the relay does not speak TLS at this port; should the URL begin with ws://?',
  ERR_SSL_PACKET_LENGTH_TOO_LONG:
    'the relay does not speak TLS at this port; should the URL begin with ws://?',
  CERT_HAS_EXPIRED: 'the certificate of the relay has expired; renew it, or set the clock of this machine',
  CERT_NOT_YET_VALID: 'the certificate of the relay is not valid yet; set the clock of this machine',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate of the relay is for another host name; check the relay URL',
  DEPTH_ZERO_SELF_SIGNED_CERT:
    'the certificate of the relay is self-signed; name its CA in NODE_EXTRA_CA_CERTS',
  SELF_SIGNED_CERT_IN_CHAIN:
    'the certificate of the relay is from a private CA; name it in NODE_EXTRA_CA_CERTS',
  CERT_SIGNATURE_FAILURE:
    'the certificate of the relay is not from the CA of that name that is trusted here; name the right one in NODE_EXTRA_CA_CERTS',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    'the relay does not send its whole certificate chain, or its CA is missing in NODE_EXTRA_CA_CERTS',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    'the certificate of the relay is from an unknown CA; name it in NODE_EXTRA_CA_CERTS',
};

/** Says why no connection came about. Never names the URL, whose query is signed. */
export function describeDialError(error: Error): string {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  if (code === undefined) return `the relay does not answer as one: ${firstLine(error.message)}`;
  if (code.startsWith('HPE_')) return 'what listens at the relay address does not speak HTTP; check the port';
  const advice = BY_CODE[code];
  return advice === undefined ? `no connection to the relay (${code})` : `${advice} (${code})`;
}

/** Says what an HTTP answer in place of an upgrade means; `location` only without its query. */
export function describeHttpAnswer(status: number, location?: string): string {
  return `HTTP ${status} in place of a WebSocket: ${describeStatus(status, location)}`;
}

function describeStatus(status: number, location: string | undefined): string {
  if (status >= 300 && status < 400) {
    return `the relay is elsewhere${formatLocation(location)}; put the final URL in the settings`;
  }
  switch (status) {
    case 400:
      return 'something in front of the relay does not pass on upgrades; check the reverse proxy';
    case 401:
    case 403:
      return 'something in front of the relay refuses access';
    case 404:
      return 'no relay at this path; check the path of the relay URL and the reverse proxy';
    case 407:
      return 'a proxy on the way asks for a login';
    case 426:
      return 'something in front of the relay does not pass on upgrades; check the reverse proxy';
    case 429:
      return 'something in front of the relay limits requests';
    case 502:
    case 503:
    case 504:
      return 'the reverse proxy does not reach the relay; is the relay running?';
    default:
      return 'what answers there is no relay; check the relay URL';
  }
}

/** A redirect repeats the signed query, so only scheme, host and path are shown. */
function formatLocation(location: string | undefined): string {
  if (location === undefined || !URL.canParse(location)) return '';
  const { protocol, host, pathname } = new URL(location);
  return ` (${protocol}//${host}${pathname})`;
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}
