export { createNodeAeadKey } from './node-aead-key.ts';
export { release, releasePayload } from './release.ts';
export type { WsData, WsSocket } from './ws-socket.ts';
export { createWsTransport } from './ws-transport.ts';
export type { ByteStream, WsTransportOptions } from './ws-transport.ts';
