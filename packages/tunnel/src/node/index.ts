export { createNodeAeadKey } from './node-aead-key.ts';
export type { WsData, WsSocket } from './ws-socket.ts';
export { createWsTransport } from './ws-transport.ts';
