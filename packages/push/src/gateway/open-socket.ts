import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls, TLSSocket } from 'node:tls';

/**
 * Starts a connection to the service; the name is looked up each time. Our own socket rather than one that
 * node:http2 makes and hides: a session that ends gracefully waits for a peer that may be gone.
 *
 * @param ca certificates (PEM) to trust instead of those Node trusts.
 */
export function openSocket(url: URL, ca: string | undefined): Socket {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (url.protocol === 'http:') {
    return connectTcp({ host, port: url.port === '' ? 80 : Number(url.port) });
  }
  return connectTls({
    host,
    port: url.port === '' ? 443 : Number(url.port),
    ALPNProtocols: ['h2'],
    minVersion: 'TLSv1.2',
    // RFC 6066 section 3: no IP address as server name.
    ...(isIP(host) === 0 ? { servername: host } : {}),
    ...(ca === undefined ? {} : { ca }),
  });
}

/** Whether the peer has agreed to HTTP/2 (RFC 9113 section 3.2); without TLS there is nothing to agree on. */
export function speaksHttp2(socket: Socket): boolean {
  return !(socket instanceof TLSSocket) || socket.alpnProtocol === 'h2';
}
