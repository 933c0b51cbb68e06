import type { ClientHttp2Stream, IncomingHttpHeaders } from 'node:http2';

/** Who hears of the streams: their session. */
export interface StreamOwner {
  onResponse(stream: ClientHttp2Stream, headers: IncomingHttpHeaders, flags: number): void;
  onClosed(stream: ClientHttp2Stream): void;
}

/** Attaches the listeners of one stream. */
export type Listen = (stream: ClientHttp2Stream) => void;

/** Makes the listeners once for all streams of a session, so that a push costs no closure. */
export function listenFor(owner: StreamOwner): Listen {
  function response(this: ClientHttp2Stream, headers: IncomingHttpHeaders, flags: number): void {
    owner.onResponse(this, headers, flags);
  }
  function close(this: ClientHttp2Stream): void {
    owner.onClosed(this);
  }
  return (stream) => {
    stream.on('error', onError);
    stream.on('response', response);
    stream.on('close', close);
  };
}

function onError(): void {
  // A close follows every error and also stands alone (a FIN has none), so it alone decides.
}
