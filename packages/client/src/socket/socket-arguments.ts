import { resolveWithin, withScheme } from '../base-url.ts';
import { isToken } from '../http/method.ts';

/** What a close frame has left for its reason (RFC 6455 section 5.5). */
const MAX_REASON_BYTES = 123;

/** What a call of the constructor asks for. */
export interface SocketArguments {
  /** With the scheme of a WebSocket. */
  readonly url: URL;
  readonly protocols: readonly string[];
}

/** Reads the arguments of the constructor. Throws a SyntaxError as the standard does (WebSockets, section 3.1). */
export function readSocketArguments(
  base: URL,
  input: string | URL,
  protocols: string | readonly string[],
): SocketArguments {
  const url = resolveWithin(base, httpForm(input));
  if (url === undefined) throw syntaxError(`a URL within ${withScheme(base, 'ws').href} is needed`);
  if (url.hash !== '' || String(input).includes('#')) throw syntaxError('the URL must not have a fragment');
  const list = typeof protocols === 'string' ? [protocols] : [...protocols];
  if (!list.every((protocol) => isToken(protocol))) throw syntaxError('a subprotocol must be a token');
  const names = new Set(list.map((protocol) => protocol.toLowerCase()));
  if (names.size < list.length) throw syntaxError('no subprotocol may be given twice');
  return { url: withScheme(url, 'ws'), protocols: list };
}

/** Throws as `close` does when the code or the reason is not a program's to give. */
export function checkClose(code: number | undefined, reason: string): void {
  if (code !== undefined && code !== 1000 && !(code >= 3000 && code <= 4999)) {
    throw new DOMException(`the code must be 1000, or 3000 to 4999, got ${code}`, 'InvalidAccessError');
  }
  if (new TextEncoder().encode(reason).length > MAX_REASON_BYTES) {
    throw syntaxError(`the reason must have at most ${MAX_REASON_BYTES} bytes`);
  }
}

/** A URL that names a scheme is compared with the base as an HTTP one. */
function httpForm(input: string | URL): string | URL {
  const text = String(input);
  if (!URL.canParse(text)) return text;
  const url = new URL(text);
  return url.protocol === 'ws:' || url.protocol === 'wss:' ? withScheme(url, 'http') : url;
}

function syntaxError(message: string): DOMException {
  return new DOMException(message, 'SyntaxError');
}
