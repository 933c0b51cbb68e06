import type { ImportAeadKey, TunnelTransport } from '@openchambery/tunnel';

/** What a dialling tells: one of the two, once, asynchronously, unless it is cancelled first. */
export interface DialListener {
  /** Open. Whoever hears this listens to the transport before returning, so that no message is lost. */
  onOpen(transport: TunnelTransport): void;
  /** `message` names what a person can act on, without the query of the URL. */
  onFail(failure: { readonly message: string; readonly cause?: unknown }): void;
}

/** A socket that is being opened. */
export interface Dialling {
  /** Gives up; nothing is called any more, nothing of the socket stays. Harmless once open. */
  cancel(): void;
}

/** Opens a WebSocket to `url`. */
export type Dial = (url: string, listener: DialListener) => Dialling;

/** What a platform brings. */
export interface Platform {
  readonly dial: Dial;
  /** A faster cipher than WebCrypto, where there is one. */
  readonly importAeadKey?: ImportAeadKey | undefined;
  /** As much may lie unread on one stream before it is given up, where nothing can stop the network: bytes. */
  readonly maxUnreadBytes?: number | undefined;
}
