/** The part of a WebSocket of the npm package `ws` that is used here, so that this package need not depend on it. */
export interface WsSocket {
  /** 1 while open. */
  readonly readyState: number;
  readonly bufferedAmount: number;
  /** `fragments`: binary messages come as the frames they were sent in. */
  binaryType: string;
  send(data: string | Uint8Array, callback: (error?: Error | null) => void): void;
  pause(): void;
  resume(): void;
  close(code: number, reason: string): void;
  terminate(): void;
  on(event: 'message', listener: (data: WsData, isBinary: boolean) => void): unknown;
  on(event: 'ping', listener: (data: Buffer) => void): unknown;
  on(event: 'close', listener: (code: number, reason: Buffer) => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
}

/** What `ws` gives for a message: one `Buffer` for a text, and under the default `binaryType`. */
export type WsData = Buffer | ArrayBuffer | Buffer[];
