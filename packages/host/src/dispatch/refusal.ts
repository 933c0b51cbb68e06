import type { HostHttpStream } from '@openchambery/tunnel';
import type { DispatchContext } from './stream-dispatcher.ts';

/** What a Client is told when its request does not get an answer of the target's own. */
export interface Refusal {
  readonly status: number;
  /** For programs. */
  readonly error: string;
  /** One sentence for people. */
  readonly message: string;
}

/** The reasons for which this package itself refuses; a policy has its own. */
type RefusalReason =
  | 'pathNotAllowed'
  | 'invalidQuery'
  | 'invalidMethod'
  | 'invalidHeaders'
  | 'policyFailed'
  | 'handlerFailed'
  | 'originUnreachable'
  | 'badGateway'
  | 'undecodable'
  | 'responseHeadersTooLarge'
  | 'originTimeout';

/** What is said for each of them. */
export const REFUSAL: Readonly<Record<RefusalReason, Refusal>> = {
  pathNotAllowed: {
    status: 403,
    error: 'path_not_allowed',
    message: 'This Host does not serve this path.',
  },
  invalidQuery: {
    status: 400,
    error: 'invalid_query',
    message: 'The query holds characters that must be percent-encoded.',
  },
  invalidMethod: {
    status: 405,
    error: 'method_not_allowed',
    message: 'This Host does not serve this method.',
  },
  invalidHeaders: {
    status: 400,
    error: 'invalid_headers',
    message: 'A header has a name or value that HTTP does not allow.',
  },
  policyFailed: {
    status: 500,
    error: 'policy_failed',
    message: 'This Host could not decide whether to let the request in.',
  },
  handlerFailed: {
    status: 500,
    error: 'handler_failed',
    message: 'The program behind this Host failed while it answered.',
  },
  originUnreachable: {
    status: 502,
    error: 'origin_unreachable',
    message: 'The program behind this Host is not running, or does not accept connections.',
  },
  badGateway: {
    status: 502,
    error: 'bad_gateway',
    message: 'The program behind this Host broke off, or gave an answer that is not valid HTTP.',
  },
  undecodable: {
    status: 502,
    error: 'bad_gateway',
    message: 'The program behind this Host answered in a content coding that cannot be passed on.',
  },
  responseHeadersTooLarge: {
    status: 502,
    error: 'response_headers_too_large',
    message: 'The program behind this Host answered with more headers than the tunnel can carry.',
  },
  originTimeout: {
    status: 504,
    error: 'origin_timeout',
    message: 'The program behind this Host did not answer in time.',
  },
};

const encoder = new TextEncoder();

/** Answers with a refusal as JSON, and wants no more of the request's body. */
export function answerRefusal(stream: HostHttpStream, refusal: Refusal): void {
  stream.body.discard();
  const output = stream.respond({
    status: refusal.status,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
  });
  if (stream.request.method !== 'HEAD') {
    output?.write(encoder.encode(JSON.stringify({ error: refusal.error, message: refusal.message })));
  }
  output?.end();
}

/** Longest stretch of a path that is worth a line in a log. */
const MAX_REPORTED_CHARS = 256;

/** Tells the Host of a request that came to nothing; its path as printable text of bounded length. */
export function reportFailure(context: DispatchContext, path: string, error: string): void {
  const printable = path.slice(0, MAX_REPORTED_CHARS).replaceAll(/[^\x21-\x7e]+/g, encodeText);
  context.report({ path: printable, error });
}

/** Percent-encodes a text in UTF-8; half a surrogate pair counts as U+FFFD, as in the URL standard. */
export function encodeText(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}
