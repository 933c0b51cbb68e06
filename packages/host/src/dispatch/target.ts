import type { Clock, HostHttpStream, HostSocketStream } from '@openchambery/tunnel';
import type { HandlerContext, HostHandler, HostTarget } from '../relay-host.ts';
import { serveFromHandler } from './handler/serve-from-handler.ts';
import { serveFromOrigin } from './http/serve-from-origin.ts';
import { checkOrigin, type Origin } from './origin/origin.ts';
import { OriginClient, type OriginRequestHead } from './origin/origin-client.ts';
import type { Outcome } from './outcome.ts';
import { serveSocket } from './socket/serve-socket.ts';

/** Where admitted requests go. */
export interface Target {
  serve(stream: HostHttpStream, head: OriginRequestHead, context: HandlerContext): Promise<Outcome>;
  /** Resolves to why there is no WebSocket, for the Client; `undefined`: it is open, or wanted no more. */
  serveSocket(stream: HostSocketStream, head: OriginRequestHead): Promise<string | undefined>;
  close(): void;
}

/** What an origin may take, and by which clock. */
export interface TargetLimits {
  readonly clock: Clock;
  readonly responseTimeoutMs: number;
  readonly socketTimeoutMs: number;
  readonly maxOriginRequests: number;
}

/** Makes a target of the option. Throws a HostOptionError when the origin is not usable. */
export function createTarget(target: HostTarget, limits: TargetLimits): Target {
  return target.handler === undefined
    ? originTarget(checkOrigin(target.origin), limits)
    : handlerTarget(target.handler);
}

function originTarget(origin: Origin, limits: TargetLimits): Target {
  const { clock, responseTimeoutMs, socketTimeoutMs } = limits;
  const client = new OriginClient(origin, limits.maxOriginRequests);
  return {
    serve: (stream, head) => serveFromOrigin(stream, head, { client, clock, responseTimeoutMs }),
    serveSocket: (stream, head) => serveSocket(stream, head, { origin, clock, timeoutMs: socketTimeoutMs }),
    close: () => client.close(),
  };
}

function handlerTarget(handler: HostHandler): Target {
  return {
    serve: (stream, head, { connectionId }) => serveFromHandler(stream, head, { handler, connectionId }),
    serveSocket: () => Promise.resolve('websockets_not_served'),
    close: () => undefined,
  };
}
