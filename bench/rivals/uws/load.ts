import { createRequire } from 'node:module';

/** What a relayed uWebSockets.js socket carries. */
export interface UwsUserData {
  readonly role: string;
  readonly serverId: string;
  connectionId: string;
  target: UwsSocket | undefined;
}

/** The part of the library's types that is used: it is never a dependency, so its own are not at hand. */
export interface UwsSocket {
  getUserData(): UwsUserData;
  send(message: ArrayBuffer | string, binary: boolean): number;
  end(code: number): void;
}

interface UwsRequest {
  getQuery(name: string): string | undefined;
  getHeader(name: string): string;
}

interface UwsResponse {
  upgrade(userData: UwsUserData, key: string, protocol: string, extensions: string, context: object): void;
}

interface UwsBehavior {
  readonly maxPayloadLength: number;
  readonly maxBackpressure: number;
  readonly idleTimeout: number;
  upgrade(response: UwsResponse, request: UwsRequest, context: object): void;
  open(socket: UwsSocket): void;
  message(socket: UwsSocket, message: ArrayBuffer, binary: boolean): void;
  close(socket: UwsSocket): void;
}

interface UwsApp {
  ws(path: string, behavior: UwsBehavior): UwsApp;
  listen(host: string, port: number, done: (token: unknown) => void): UwsApp;
}

interface Uws {
  App(): UwsApp;
}

/** The library when this machine has it: installed beside us, or where `BENCH_UWS` points. */
export function loadUws(): Uws | undefined {
  try {
    return createRequire(import.meta.url)(process.env['BENCH_UWS'] ?? 'uWebSockets.js') as Uws;
  } catch {
    return undefined;
  }
}
