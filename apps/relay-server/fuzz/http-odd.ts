import { pushPaths } from '@openchambery/testkit';
import { frame } from './http-request.ts';
import type { Tools } from './fixtures.ts';
import type { Exchange } from './plan.ts';

type Make = (body: Buffer, tools: Tools) => Buffer;

const METHODS = ['GET', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'PROPFIND', 'TRACE'];
const PATHS = Object.values(pushPaths);

/** A request of HTTP for something that is not there. What its body is does not matter. */
export function askForNothing(body: Buffer, tools: Tools): Exchange {
  const { random, markers } = tools;
  const path = random.pick(PATHS);
  const target = random.pick<() => string>([
    () => '//',
    () => `//${markers.word()}/${markers.hex(32)}`,
    () => '*',
    () => `http://push.example${path}`,
    () => `${path}/`,
    () => `/${path}`,
    () => path.toUpperCase(),
    () => path.replace('push', '%70ush'),
    () => `/v1/push/../push/${markers.word()}`,
    () => `/v1/push/${markers.word()}?${markers.word()}`,
    () => `/%${markers.word()}`,
    () => `/${markers.word().repeat(random.integer(1, 180))}`,
    () => `${path};${markers.word()}`,
    () => `${path}#${markers.word()}`,
    () => '/healthz',
  ])();
  const bytes = random.chance(0.5)
    ? frame({ target, body }, tools)
    : frame(
        { method: random.pick(METHODS), target: random.pick([target, path]).replace('/healthz', path), body },
        tools,
      );
  // The body of what nobody answers for is not read to its end.
  return { bytes, cuts: [], due: { kind: 'answer', outcomes: ['not_found'], after: 'may-close' } };
}

/** What is not HTTP, or HTTP that ends too soon. */
export function breakHttp(body: Buffer, tools: Tools): Exchange {
  const { random } = tools;
  const bytes = random.pick(BREAKS)(body, tools);
  return { bytes, cuts: [], due: { kind: 'end' }, leave: random.chance(0.8) ? 'fin' : 'reset' };
}

/** A body that is announced, or sent, beyond every bound. */
export function overfill(body: Buffer, tools: Tools): Exchange {
  const { random, markers } = tools;
  const path = random.pick(PATHS);
  const filling = Buffer.concat([body, Buffer.from(markers.word().repeat(random.integer(1100, 6000)))]);
  return {
    bytes: frame({ target: path, body: filling }, tools),
    cuts: [],
    due: { kind: 'answer', outcomes: ['payload_too_large'], after: 'goes-on' },
  };
}

function head(tools: Tools, ...lines: string[]): string {
  const path = tools.random.pick(PATHS);
  return [`POST ${path} HTTP/1.1`, 'Host: push.example', ...lines, '', ''].join('\r\n');
}

function raw(text: string, body: Buffer = Buffer.alloc(0)): Buffer {
  return Buffer.concat([Buffer.from(text, 'latin1'), body]);
}

const BREAKS: readonly Make[] = [
  (body, tools) => raw(head(tools, `Content-Length: ${body.length + tools.random.integer(1, 5000)}`), body),
  (body, tools) =>
    raw(head(tools, `Content-Length: ${tools.random.integer(0, Math.max(0, body.length - 1))}`), body),
  (body, tools) =>
    raw(
      head(tools, `Content-Length: ${tools.random.pick(['-1', '+5', '0x10', '1e3', '5, 6', '', '1_0'])}`),
      body,
    ),
  (body, tools) => raw(head(tools, `Content-Length: ${tools.markers.word()}`), body),
  (body, tools) => raw(head(tools, 'Content-Length: 99999999999999999999'), body),
  (body, tools) =>
    raw(head(tools, `Content-Length: ${body.length}`, `Content-Length: ${body.length + 1}`), body),
  (body, tools) => raw(head(tools, `Content-Length: ${body.length}`, 'Transfer-Encoding: chunked'), body),
  (body, tools) => raw(head(tools, `Transfer-Encoding: ${tools.markers.word()}`), body),
  (body, tools) => raw(head(tools, `Transfer-Encoding: chunked, ${tools.markers.word()}`), body),
  (body, tools) => raw(head(tools, `Transfer-Encoding : chunked`), body),
  (body, tools) => raw(`${head(tools, 'Transfer-Encoding: chunked')}${tools.markers.word()}\r\n`, body),
  (body, tools) =>
    raw(`${head(tools, 'Transfer-Encoding: chunked')}${(body.length + 7).toString(16)}\r\n`, body),
  (body, tools) => raw(`${head(tools, 'Transfer-Encoding: chunked')}1\r\n`, body),
  (body, tools) => raw(`${head(tools, 'Transfer-Encoding: chunked')}ffffffffffffffffff\r\n`, body),
  (body, tools) => raw(`${head(tools, 'Transfer-Encoding: chunked')}-5\r\n`, body),
  (body, tools) =>
    raw(`${head(tools, 'Transfer-Encoding: chunked')}5;${tools.markers.word().repeat(1500)}\r\n`, body),
  (body, tools) => raw(head(tools, `x-${tools.markers.word()}: a\u0000${tools.markers.word()}`), body),
  (body, tools) => raw(head(tools, tools.markers.word()), body),
  (body, tools) => raw(head(tools, ` ${tools.markers.word()}: folded`), body),
  (body, tools) => raw(head(tools, `x-big: ${tools.markers.word().repeat(3000)}`), body),
  (body, tools) => raw(head(tools, ...Array.from({ length: 3000 }, (_, i) => `x-${i}: 1`)), body),
  (body, tools) => raw(`PO${tools.markers.word()} /v1/push/send HTTP/1.1\r\n\r\n`, body),
  (body, tools) => raw(`POST /v1/push/send?${tools.markers.word()} HTTP/9.9\r\n\r\n`, body),
  (body, tools) => raw(`POST /v1/push/ ${tools.markers.word()} HTTP/1.1\r\n\r\n`, body),
  (body) => raw(`POST /v1/push/send HTTP/1.1\r\nContent-Length: ${body.length}\r\n\r\n`, body),
  (body, tools) =>
    raw(
      `POST /v1/push/send HTTP/1.0\r\nContent-Length: ${body.length}\r\n\r\n`,
      body.subarray(0, tools.random.integer(0, 9)),
    ),
  (_body, tools) =>
    raw(`CONNECT ${tools.markers.word()}:443 HTTP/1.1\r\nHost: ${tools.markers.word()}\r\n\r\n`),
  (_body, tools) => raw(`GET ${tools.markers.word()}`),
  (_body, tools) => raw(head(tools).slice(0, tools.random.integer(1, 30))),
  (_body, tools) => raw(`PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n${tools.markers.word()}`),
  (_body, tools) => raw(`\u0016\u0003\u0001\u0002\u0000\u0001${tools.markers.word()}`),
  (_body, { random }) => random.bytes(random.integer(1, 2000)),
  (body, tools) =>
    raw(
      head(
        tools,
        `Upgrade: ${tools.markers.word()}`,
        'Connection: Upgrade',
        `Content-Length: ${body.length}`,
      ),
      body,
    ),
  (_body, tools) =>
    raw(
      head(
        tools,
        'Upgrade: websocket',
        'Connection: Upgrade',
        'Sec-WebSocket-Version: 13',
        `Sec-WebSocket-Key: ${tools.markers.word()}`,
      ),
    ),
  (_body, tools) => raw(upgrade(tools)),
];

/** A handshake that is in order: an answer where there is a relay, a plain request where there is none. */
function upgrade({ random, markers }: Tools): string {
  const key = random.bytes(16).toString('base64');
  const lines = [
    'Host: a',
    'Upgrade: websocket',
    'Connection: Upgrade',
    'Sec-WebSocket-Version: 13',
    `Sec-WebSocket-Key: ${key}`,
  ];
  return [
    `GET /v1/push/send?sig=${markers.base64url(64)}&pk=${markers.word()} HTTP/1.1`,
    ...lines,
    '',
    '',
  ].join('\r\n');
}
