/** What is asked of the origin over a WebSocket, in a text message. */
export interface SocketRequest {
  readonly path: '/small' | '/bytes' | '/sink' | '/drops';
  /** Of the body that is wanted, or that will follow. */
  readonly bytes: number;
}
