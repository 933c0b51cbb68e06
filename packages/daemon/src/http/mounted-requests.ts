import type { IncomingMessage, ServerResponse } from 'node:http';
import { hasBody } from './body-length.ts';
import { BodyWatch } from './body-watch.ts';
import type { LingeringSockets } from './lingering-sockets.ts';
import type { Mount } from './mount.ts';

/** What is mounted on a listener. */
export interface Mounted {
  readonly mounts: readonly Mount[];
  /** Hears of what a mount threw. It may hold anything: do not log its message. */
  onFault(error: unknown): void;
}

/** Hands requests to mounts and keeps their bodies and faults from harming anybody else. */
export class MountedRequests {
  readonly #mounted: Mounted;
  readonly #lingering: LingeringSockets;

  constructor(mounted: Mounted, lingering: LingeringSockets) {
    this.#mounted = mounted;
    this.#lingering = lingering;
  }

  /** The mount that owns a request. */
  find(request: IncomingMessage): Mount | undefined {
    return this.#mounted.mounts.find((mount) => {
      try {
        return mount.owns(request);
      } catch (error) {
        this.#mounted.onFault(error);
        return false;
      }
    });
  }

  /** Has a request answered by its mount. Never throws. */
  handle(mount: Mount, request: IncomingMessage, response: ServerResponse): void {
    if (hasBody(request)) this.#watchBody(request, response);
    // Written to a connection that is gone, or twice: the first is nobody's fault.
    response.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ERR_STREAM_DESTROYED') this.#mounted.onFault(error);
    });
    try {
      const handled: unknown = mount.handle(request, response);
      if (handled instanceof Promise) handled.catch((error: unknown) => this.#fail(error, response));
    } catch (error) {
      this.#fail(error, response);
    }
  }

  #watchBody(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    this.#lingering.watch(request);
    const watch = new BodyWatch(request, () => {
      if (response.writableFinished) this.#lingering.end(socket);
      else this.#lingering.deafen(socket);
    });
    const writeHead = response.writeHead.bind(response) as (...head: unknown[]) => ServerResponse;
    // All ways to an answer go through here, `end` without a head included.
    response.writeHead = (...head: unknown[]) => {
      if (watch.isRestTooLong) response.setHeader('connection', 'close');
      return writeHead(...head);
    };
    response.once('finish', () => {
      if (!request.complete && !this.#lingering.has(socket)) watch.discardRest();
    });
  }

  #fail(error: unknown, response: ServerResponse): void {
    this.#mounted.onFault(error);
    if (response.writableEnded) return;
    if (response.headersSent) {
      response.destroy();
      return;
    }
    for (const name of response.getHeaderNames()) response.removeHeader(name);
    response.writeHead(500, { 'cache-control': 'no-store', 'content-length': 0 }).end();
  }
}
