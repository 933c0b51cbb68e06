import { request as httpRequest } from 'node:http';
import type { Agent, IncomingHttpHeaders } from 'node:http';
import {
  makeDeviceToken,
  makeIdentity,
  registerActivityRequest,
  registerRequest,
  sendRequest,
  withTimeout,
} from '@openchambery/testkit';
import type { HostIdentity, PushRequest, RecordedRequest, SendFields } from '@openchambery/testkit';
import { expect } from 'vitest';
import type { PushSetup } from './push-setup.ts';

export interface PushAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The body as JSON; undefined when it is empty. */
  readonly json: unknown;
}

export interface PostOptions {
  readonly method?: string;
  readonly localAddress?: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** @default a connection of its own */
  readonly agent?: Agent;
  /** @default 10000 */
  readonly timeoutMs?: number;
}

/** One row of a send's answer. */
export interface ResultRow {
  readonly token: string;
  readonly ok: boolean;
  readonly drop?: boolean;
}

/** Posts a signed request. */
export function post(setup: PushSetup, request: PushRequest, options: PostOptions = {}): Promise<PushAnswer> {
  setup.sent.add(request.body);
  return postText(setup, request.path, JSON.stringify(request.body), options);
}

/** Sends `body` as it is. What every response has to have is checked here. */
export async function postText(
  setup: PushSetup,
  path: string,
  body: string | Buffer,
  options: PostOptions = {},
): Promise<PushAnswer> {
  const { method = 'POST', headers = {}, agent = false, localAddress, timeoutMs } = options;
  const { host, port } = setup.push;
  const answer = new Promise<PushAnswer>((resolve, reject) => {
    const outgoing = httpRequest({
      host,
      port,
      path,
      method,
      agent,
      headers: {
        'content-type': 'application/json',
        'content-length': String(Buffer.byteLength(body)),
        ...headers,
      },
      ...(localAddress === undefined ? {} : { localAddress }),
    });
    outgoing.once('response', (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => (text += chunk));
      response.once('error', reject);
      response.once('end', () => {
        const { statusCode: status = 0, headers: received } = response;
        resolve({ status, headers: received, text, json: text === '' ? undefined : JSON.parse(text) });
      });
    });
    outgoing.once('error', reject);
    outgoing.end(body);
  });
  const received = await withTimeout(answer, () => `${method} ${path} is not answered`, timeoutMs);
  expectHeaders(received);
  return received;
}

/** Every response is JSON with `no-store`; only a 404 is empty (push API §1). */
function expectHeaders({ status, headers, text }: PushAnswer): void {
  expect(headers['cache-control']).toBe('no-store');
  if (text !== '') expect(headers['content-type']).toMatch(/^application\/json\b/u);
  if (status === 404) expect(text).toBe('');
  expect([200, 400, 401, 404, 413, 429, 500, 503], `status ${status}: ${text}`).toContain(status);
}

/** The request was accepted with `{"ok":true}`. */
export function expectOk(answer: PushAnswer): void {
  expect([answer.status, answer.text]).toEqual([200, '{"ok":true}']);
}

/** The request was refused with this status and code, and nothing more is told. */
export function expectRefused(answer: PushAnswer, status: number, code: string): void {
  expect([answer.status, answer.json]).toEqual([status, { error: code }]);
  if (status === 429) expectRetryAfter(answer);
}

/** A whole number of seconds (RFC 9110 §10.2.3), not more than the window of a minute asks for. */
function expectRetryAfter({ headers }: PushAnswer): void {
  expect(headers['retry-after'], 'retry-after').toMatch(/^[1-9]\d*$/u);
}

/** The rows of a send that was accepted. */
export function rowsOf(answer: PushAnswer): readonly ResultRow[] {
  expect(answer.status, answer.text).toBe(200);
  const { results, ...rest } = answer.json as { readonly results: readonly ResultRow[] };
  expect(rest).toEqual({});
  return results;
}

/** Binds `token` to the server of `identity`. */
export async function register(setup: PushSetup, identity: HostIdentity, token: string): Promise<void> {
  expectOk(await post(setup, registerRequest(identity, token)));
}

/** Binds the token of a Live Activity to the server of `identity`. */
export async function registerActivity(
  setup: PushSetup,
  identity: HostIdentity,
  token: string,
): Promise<void> {
  expectOk(await post(setup, registerActivityRequest(identity, token)));
}

/** A new server with `count` tokens of its own. */
export async function boundServer(
  setup: PushSetup,
  count = 1,
): Promise<{ readonly identity: HostIdentity; readonly token: string; readonly tokens: readonly string[] }> {
  const identity = makeIdentity();
  const tokens = Array.from({ length: count }, () => makeDeviceToken());
  await Promise.all(tokens.map((token) => register(setup, identity, token)));
  return { identity, tokens, token: tokens[0] ?? '' };
}

/** Sends an alert with a title nobody else uses, and gives back its rows. */
export async function send(
  setup: PushSetup,
  identity: HostIdentity,
  fields: Partial<SendFields> & Pick<SendFields, 'tokens'>,
): Promise<readonly ResultRow[]> {
  return rowsOf(await post(setup, sendRequest(identity, { title: uniqueTitle(), ...fields })));
}

/** Whether an alert of `identity` reaches `token`; nothing else tells who a token is bound to. */
export async function reaches(setup: PushSetup, identity: HostIdentity, token: string): Promise<boolean> {
  const before = setup.sandbox.count(token);
  const [row] = await send(setup, identity, { tokens: [token] });
  const isDelivered = setup.sandbox.count(token) > before;
  expect(row).toEqual({ token, ok: isDelivered });
  return isDelivered;
}

/** The requests that a service got for `token`, in order. */
export function requestsFor(apns: PushSetup['sandbox'], token: string): readonly RecordedRequest[] {
  return apns.requests.filter((request) => request.token.toLowerCase() === token.toLowerCase());
}

/** Requests that both services ever got. */
export function requestsTotal({ sandbox, production }: PushSetup): number {
  return sandbox.requestsTotal + production.requestsTotal;
}

let titles = 0;

/** A title that is long enough to be found in a log, and different on every call. */
export function uniqueTitle(): string {
  titles += 1;
  return `a title of its own ${process.pid}-${titles}-${makeDeviceToken(4)}`;
}
