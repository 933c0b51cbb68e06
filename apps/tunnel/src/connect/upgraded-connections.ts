import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';

/** How long an end waits for WebSockets to say goodbye, in ms. */
const GOODBYE_MS = 1000;

/** Connections that left HTTP: Node's server waits for them when it closes, and has no means to end them. */
export class UpgradedConnections {
  /** Neither a WebSocket nor gone: being opened at the far end, or refused and kept open by the local program. */
  readonly #others = new Set<Duplex>();
  readonly #webSockets = new Set<WebSocket>();

  /** WebSockets that are open. */
  get openCount(): number {
    return this.#webSockets.size;
  }

  /** Follows a connection to its end. @param opening what becomes of it; never rejects */
  async add(connection: Duplex, opening: Promise<WebSocket | undefined>): Promise<void> {
    this.#others.add(connection);
    connection.once('close', () => this.#others.delete(connection));
    connection.on('error', () => {
      // A program that went away; 'close' follows. Node's server has stopped to listen for us.
    });
    const webSocket = await opening;
    if (webSocket === undefined || webSocket.readyState === webSocket.CLOSED) return;
    this.#others.delete(connection);
    this.#webSockets.add(webSocket);
    webSocket.once('close', () => this.#webSockets.delete(webSocket));
  }

  /** WebSockets close with 1001, and are cut when they take too long; everything else is cut. @returns what ends the wait */
  close(): () => void {
    for (const connection of this.#others) connection.destroy();
    for (const webSocket of this.#webSockets) webSocket.close(1001, 'openchamber-tunnel stops');
    const timer = setTimeout(() => {
      for (const webSocket of this.#webSockets) webSocket.terminate();
    }, GOODBYE_MS);
    return () => clearTimeout(timer);
  }
}
