import { request as requestPlain } from 'node:http';
import { request as requestTls } from 'node:https';

/** A form to post, and how. */
export interface FormPost {
  readonly url: URL;
  readonly fields: Readonly<Record<string, string>>;
  /** Certificates (PEM) to trust instead of those Node trusts. */
  readonly ca: string | undefined;
  /** Ends it. */
  readonly signal: AbortSignal;
}

/** The answer to a form. */
export interface FormAnswer {
  readonly status: number;
  /** Undefined when it is no JSON object, or a far too long one. */
  readonly json: Record<string, unknown> | undefined;
}

/** An access token takes some hundred bytes. */
const MAX_BODY_BYTES = 65_536;

/** Posts a form (RFC 6749 section 4.1.3) and reads its answer; follows no redirect. Rejects when there is no answer. */
export function postForm({ url, fields, ca, signal }: FormPost): Promise<FormAnswer> {
  const body = new URLSearchParams(fields).toString();
  const headers = {
    'content-type': 'application/x-www-form-urlencoded',
    'content-length': Buffer.byteLength(body),
    accept: 'application/json',
  };
  const options = { method: 'POST', headers, signal, agent: false } as const;
  return new Promise((resolve, reject) => {
    const request =
      url.protocol === 'http:'
        ? requestPlain(url, options)
        : requestTls(url, { ...options, ...(ca === undefined ? {} : { ca }) });
    request.on('error', reject);
    request.on('response', (response) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes <= MAX_BODY_BYTES) chunks.push(chunk);
        else request.destroy(new Error('the answer is too long'));
      });
      response.on('error', reject);
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, json: parseObject(Buffer.concat(chunks)) }),
      );
    });
    request.end(body);
  });
}

function parseObject(body: Buffer): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    // Whoever answers so is no token endpoint: its status has to do.
    return undefined;
  }
}
