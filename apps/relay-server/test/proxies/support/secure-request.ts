import { request as httpsRequest, Agent } from 'node:https';
import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { makeLoopbackCertificate, withTimeout } from '@openchambery/testkit';
import type { LoopbackCertificate } from '@openchambery/testkit';
import { onTestFinished } from 'vitest';

export interface SecureAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** Whether the request went over a connection that an earlier one had opened. */
  readonly reused: boolean;
}

export interface SecureRequest {
  readonly path: string;
  /** @default GET */
  readonly method?: string;
  readonly headers?: Readonly<OutgoingHttpHeaders>;
  readonly body?: string;
  /** 127.0.0.0/8, for another client address. */
  readonly localAddress?: string;
  /** @default a connection of its own */
  readonly agent?: Agent;
}

/** One HTTPS request through a proxy that listens on `port`. */
export function secureRequest(port: number, options: SecureRequest): Promise<SecureAnswer> {
  const { path, method = 'GET', headers = {}, body, localAddress, agent = false } = options;
  const answer = new Promise<SecureAnswer>((resolve, reject) => {
    const target = { host: '127.0.0.1', port, path, method, headers, agent };
    const outgoing = httpsRequest({ ...target, ...(localAddress === undefined ? {} : { localAddress }) });
    outgoing.once('response', (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => (text += chunk));
      response.once('error', reject);
      response.once('end', () => {
        const { statusCode: status = 0, headers: received } = response;
        resolve({ status, headers: received, body: text, reused: outgoing.reusedSocket });
      });
    });
    outgoing.once('error', reject);
    outgoing.end(body);
  });
  return withTimeout(answer, () => `${method} ${path} is not answered`);
}

/** An agent with one connection, kept for the current test. */
export function keptConnection(): Agent {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  return agent;
}

/** Whether something speaks TLS with a trusted certificate and HTTP there. */
export function isAnswering(port: number): Promise<boolean> {
  return secureRequest(port, { path: '/healthz' }).then(
    () => true,
    () => false,
  );
}

/** Lets this process trust a CA, for every kind of connection. */
export function trustCa(caPem: string): void {
  const trusted = getCACertificates('default');
  if (!trusted.includes(caPem)) setDefaultCACertificates([...trusted, caPem]);
}

let certificate: Promise<LoopbackCertificate> | undefined;

/** The one certificate of this process, for proxies that are given theirs. */
export function testCertificate(): Promise<LoopbackCertificate> {
  certificate ??= makeLoopbackCertificate();
  return certificate;
}
