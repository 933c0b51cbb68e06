/**
 * Headers by lower-case name, as they stand in a payload. A name that came several times has its values joined with
 * `", "` (RFC 9110 section 5.3); only `set-cookie`, which must not be joined, becomes a list when there are several.
 */
export type TunnelHeaders = Readonly<Record<string, string | readonly string[]>>;

/** Payload of HttpRequest. */
export interface HttpRequestHead {
  readonly method: string;
  /** Begins with `/`; as the Client's program wrote it, percent-encoding and all. */
  readonly path: string;
  /** Without `?`; empty when there is none. */
  readonly query: string;
  readonly headers: TunnelHeaders;
}

/** Payload of HttpResponse. */
export interface HttpResponseHead {
  /** 200 to 599. */
  readonly status: number;
  readonly headers: TunnelHeaders;
}

/** Payload of WsOpen. */
export interface WsOpenHead {
  readonly path: string;
  /** Without `?`; empty when there is none. */
  readonly query: string;
  /** Subprotocols in order of preference. */
  readonly protocols?: readonly string[] | undefined;
  readonly headers?: TunnelHeaders | undefined;
}

/** Payload of WsOpened. */
export interface WsOpenedHead {
  /** The subprotocol that the origin chose. */
  readonly protocol?: string | undefined;
}

/** Payload of StreamAbort. */
export interface StreamAbortInfo {
  /** For people; at most 256 UTF-16 units. */
  readonly reason: string;
}

/** Payload of WsClose. */
export interface WsCloseInfo {
  /** 1000 to 4999; 1005 and 1006 are what a peer reports that itself got no code. */
  readonly code: number;
  /** At most 123 bytes in UTF-8, what a close frame holds. */
  readonly reason: string;
}
