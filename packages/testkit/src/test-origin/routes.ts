import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { gzipSync } from 'node:zlib';
import { patternPieces } from './pattern.ts';
import type { OriginRequest } from './recorded-request.ts';

/** One request and its answer to be. */
export interface Exchange {
  readonly record: OriginRequest;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** What follows the route's name in the path. */
  readonly rest: string;
  readonly query: URLSearchParams;
}

type Route = (exchange: Exchange) => void | Promise<void>;

/** Bodies that an answer repeats as JSON, at most. */
const MAX_REPEATED_BYTES = 4 * 1024 * 1024;

function sendJson({ response }: Exchange, value: unknown): void {
  const body = Buffer.from(JSON.stringify(value));
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length });
  response.end(body);
}

/** Reads all of an upload; hashes it, and keeps it while it is small. */
async function readBody(request: IncomingMessage): Promise<{ bytes: number; sha256: string; body: Buffer }> {
  const hash = createHash('sha256');
  const kept: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    hash.update(chunk);
    bytes += chunk.length;
    if (bytes <= MAX_REPEATED_BYTES) kept.push(chunk);
  }
  return { bytes, sha256: hash.digest('hex'), body: Buffer.concat(kept) };
}

/** What came, as JSON. */
async function echo(exchange: Exchange): Promise<void> {
  const { method, url, headers, rawHeaders } = exchange.record;
  const { body, bytes, sha256 } = await readBody(exchange.request);
  sendJson(exchange, { method, url, headers, rawHeaders, body: body.toString(), bytes, sha256 });
}

/** The body itself, back as it comes. */
async function streamBack({ request, response }: Exchange): Promise<void> {
  response.writeHead(200, { 'content-type': request.headers['content-type'] ?? 'application/octet-stream' });
  response.flushHeaders();
  await pipeline(request, response);
}

/** `/bytes/N`: the first N bytes of the pattern; `?chunked` leaves the length out. */
async function bytes({ request, response, rest, query }: Exchange): Promise<void> {
  const count = Number(rest);
  const head = { 'content-type': 'application/octet-stream' };
  response.writeHead(200, query.has('chunked') ? head : { ...head, 'content-length': count });
  if (request.method === 'HEAD') response.end();
  else await pipeline(Readable.from(patternPieces(count), { objectMode: false }), response);
}

/** How much was uploaded, and its hash. */
async function sink(exchange: Exchange): Promise<void> {
  const { bytes, sha256 } = await readBody(exchange.request);
  sendJson(exchange, { bytes, sha256 });
}

function cookies({ response }: Exchange): void {
  response.setHeader('set-cookie', [
    'a=1; Path=/',
    'b=2; Expires=Wed, 09 Jun 2100 10:18:14 GMT',
    'c=3; HttpOnly',
  ]);
  response.end('three cookies');
}

/** `/redirect/N` leads to `/redirect/N-1` and at 0 to `/echo`; `?to=` leads elsewhere at once, `?status=` says how. */
function redirect({ response, rest, query }: Exchange): void {
  const left = Number(rest);
  const location = query.get('to') ?? (left > 0 ? `/redirect/${left - 1}` : '/echo');
  response.writeHead(Number(query.get('status') ?? 302), { location });
  response.end();
}

function gzip({ response }: Exchange): void {
  const body = gzipSync('compressed '.repeat(1000));
  response.writeHead(200, {
    'content-type': 'text/plain',
    'content-encoding': 'gzip',
    'content-length': body.length,
    vary: 'accept-encoding',
  });
  response.end(body);
}

/** `/status/N`: an answer with that status; those that have no body get none. */
function status({ response, rest }: Exchange): void {
  const code = Number(rest);
  const isBare = code === 204 || code === 205 || code === 304;
  response.writeHead(code, { 'x-status': rest, ...(isBare ? {} : { 'content-type': 'text/plain' }) });
  response.end(isBare ? undefined : `status ${rest}`);
}

/** Headers that concern one hop only, next to some that do not. */
function hopByHop({ response }: Exchange): void {
  response.writeHead(200, {
    connection: 'keep-alive, x-named-by-connection',
    'x-named-by-connection': 'hop',
    'keep-alive': 'timeout=5',
    'x-end-to-end': 'kept',
    'x-several': ['one', 'two'],
  });
  response.end('hops');
}

/** `/reset/N`: N bytes of the pattern out of more that were promised, then an RST; `/truncate/N`: then a FIN. */
async function breakOff({ response, rest, request }: Exchange, act: 'reset' | 'truncate'): Promise<void> {
  const count = Number(rest);
  response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': count + 1 });
  response.flushHeaders();
  // What is still in this process when the socket goes would be lost with it.
  for (const piece of patternPieces(count)) {
    await new Promise<void>((resolve) => response.write(piece, () => resolve()));
  }
  if (act === 'reset') request.socket.resetAndDestroy();
  else request.socket.destroySoon();
}

/** Answers before the upload is read, and reads none of it. */
function early({ request, response }: Exchange): void {
  request.pause();
  response.writeHead(413, { 'content-type': 'text/plain', connection: 'close' });
  response.end('too large');
}

/** By the first segment of the path. */
export const ROUTES: Readonly<Record<string, Route>> = {
  echo,
  'echo-stream': streamBack,
  bytes,
  sink,
  cookies,
  redirect,
  gzip,
  status,
  'hop-by-hop': hopByHop,
  reset: (exchange) => breakOff(exchange, 'reset'),
  truncate: (exchange) => breakOff(exchange, 'truncate'),
  early,
};
