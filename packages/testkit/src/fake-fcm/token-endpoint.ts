import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { LoopbackCertificate } from '../fake-apns/certificates.ts';
import type { AccessTokens } from './access-tokens.ts';

/** What the endpoint does with a request for a token: `silence` never answers. */
export type TokenReaction = { readonly status: number; readonly body?: string } | 'silence' | 'reset';

const MAX_FORM_BYTES = 16_384;

/** Google's token endpoint: an HTTPS server of its own. */
export class TokenEndpoint {
  readonly #tokens: AccessTokens;
  readonly #host: string;
  readonly #server: Server;
  readonly #once: TokenReaction[] = [];
  #all: TokenReaction | undefined;
  #requestCount = 0;

  constructor(tokens: AccessTokens, certificate: LoopbackCertificate, host: string) {
    this.#tokens = tokens;
    this.#host = host;
    this.#server = createServer({ cert: certificate.certPem, key: certificate.keyPem }, (request, response) =>
      this.#read(request, response),
    );
  }

  get url(): string {
    const { port } = this.#server.address() as AddressInfo;
    return `https://${this.#host}:${port}/token`;
  }

  /** Requests so far, whatever became of them. */
  get requestCount(): number {
    return this.#requestCount;
  }

  /** What happens to the next request; several queue up. */
  scriptOnce(reaction: TokenReaction): void {
    this.#once.push(reaction);
  }

  /** What happens to every other one; undefined: as if never scripted. */
  scriptAll(reaction: TokenReaction | undefined): void {
    this.#all = reaction;
  }

  async listen(): Promise<void> {
    this.#server.listen({ host: this.#host, port: 0 });
    await once(this.#server, 'listening');
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  #read(request: IncomingMessage, response: ServerResponse): void {
    this.#requestCount += 1;
    let form = '';
    request.on('data', (chunk: Buffer) => {
      if (form.length <= MAX_FORM_BYTES) form += chunk.toString('latin1');
    });
    // A client that gives up is what some tests are about.
    request.on('error', () => response.destroy());
    request.on('end', () => this.#answer(new URLSearchParams(form), response));
  }

  #answer(form: URLSearchParams, response: ServerResponse): void {
    const reaction = this.#once.shift() ?? this.#all;
    if (reaction === 'silence') return;
    if (reaction === 'reset') {
      response.destroy();
      return;
    }
    if (reaction !== undefined) {
      response.writeHead(reaction.status, { 'content-type': 'application/json' }).end(reaction.body ?? '{}');
      return;
    }
    const error = this.#tokens.refuse(form);
    const status = error === undefined ? 200 : 400;
    const body =
      error === undefined
        ? { access_token: this.#tokens.give(), expires_in: this.#tokens.lifeS, token_type: 'Bearer' }
        : { error, error_description: 'Invalid JWT Signature.' };
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  }
}
