/**
 * A plain push handler: it imports the key of each request, verifies, and opens a connection to the provider for each
 * push. It has no database, so it does not know whose a token is, and no memory of what was sent. Its provider token
 * is made once.
 * Run as a program: `node plain-push.ts PORT APNS_URL`.
 */
import { createPublicKey, generateKeyPairSync, type JsonWebKey, sign, verify } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect } from 'node:http2';

interface Envelope {
  readonly publicKeyJwk: JsonWebKey;
  readonly ts: number;
  readonly sig: string;
}

interface Send extends Envelope {
  readonly tokens: readonly string[];
  readonly title: string;
  readonly body: string;
  readonly data: Readonly<Record<string, string>>;
}

interface Registration extends Envelope {
  readonly token: string;
  readonly platform: string;
}

const [port = '8788', apnsUrl = ''] = process.argv.slice(2);
const bearer = `bearer ${makeProviderToken()}`;

createServer((request, response) => {
  handle(request, response).catch((error: unknown) => {
    process.stderr.write(`${String(error)}\n`);
    answer(response, 500, { error: 'internal' });
  });
}).listen(Number(port), '127.0.0.1', () => process.stdout.write('plain push listening\n'));
process.on('SIGTERM', () => process.exit(0));

async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) {
    chunks.push(chunk as Buffer);
  }
  const json = JSON.parse(Buffer.concat(chunks).toString('utf8')) as unknown;
  if (request.url === '/v1/push/send') {
    const send = json as Send;
    const { ts, tokens, title } = send;
    if (isSigned(send, `${ts}.${[...tokens].sort().join(',')}.${title}`)) {
      const results = await Promise.all(
        tokens.map(async (token) => ({ token, ok: await push(token, send) })),
      );
      answer(response, 200, { results });
      return;
    }
  } else {
    const registration = json as Registration;
    const { ts, token, platform } = registration;
    if (isSigned(registration, `${ts}.${token}.${platform}`)) {
      answer(response, 200, { ok: true });
      return;
    }
  }
  answer(response, 401, { error: 'invalid_signature' });
}

function isSigned({ publicKeyJwk, sig }: Envelope, text: string): boolean {
  const key = createPublicKey({ key: publicKeyJwk, format: 'jwk' });
  const signature = Buffer.from(sig, 'base64url');
  return verify('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }, signature);
}

function push(token: string, { title, body, data }: Send): Promise<boolean> {
  return new Promise((resolve) => {
    const session = connect(apnsUrl);
    session.on('error', () => resolve(false));
    const stream = session.request({
      ':method': 'POST',
      ':path': `/3/device/${token}`,
      authorization: bearer,
      'apns-topic': 'com.example.app',
      'apns-push-type': 'alert',
      'apns-priority': '10',
    });
    let isAccepted = false;
    stream.on('response', (headers) => {
      isAccepted = headers[':status'] === 200;
    });
    stream.on('error', () => resolve(false));
    stream.on('close', () => {
      session.close();
      resolve(isAccepted);
    });
    stream.resume();
    stream.end(JSON.stringify({ aps: { alert: { title, body }, sound: 'default' }, ...data }));
  });
}

function answer(response: ServerResponse, status: number, content: object): void {
  const json = JSON.stringify(content);
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(json),
    'cache-control': 'no-store',
  });
  response.end(json);
}

function makeProviderToken(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');
  const claims = { iss: 'TEAM000000', iat: Math.floor(Date.now() / 1000) };
  const text = `${encode({ alg: 'ES256', kid: 'KEY0000000' })}.${encode(claims)}`;
  const signature = sign('sha256', Buffer.from(text), { key: privateKey, dsaEncoding: 'ieee-p1363' });
  return `${text}.${signature.toString('base64url')}`;
}
