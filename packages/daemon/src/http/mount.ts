import type { IncomingMessage, ServerResponse } from 'node:http';

/**
 * A service of its own on a listener that is somebody else's: it answers the requests that it owns, within limits of
 * its own. It may read the body (see `readBody`) and need not: what is left of it when the answer is out, is read and
 * thrown away. Upgrades to WebSocket never come here.
 */
export interface Mount {
  /** Whether a request is this service's. Its `url` is the target just as it was sent; nothing is checked yet. */
  owns(request: IncomingMessage): boolean;
  /** Answers a request of its own. A fault (a throw, a rejection) is answered with 500 when there is no answer yet. */
  handle(request: IncomingMessage, response: ServerResponse): void | Promise<void>;
  /** Called once when the listener's shutdown begins; the shutdown waits for it a few seconds. */
  drain?(): Promise<void>;
}
