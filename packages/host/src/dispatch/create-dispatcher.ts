import { type Clock, type HostHttpStream, type HostSocketStream, systemClock } from '@openchambery/tunnel';
import { describeValue, HostOptionError } from '../host-option-error.ts';
import type { HostPolicy, HostTarget } from '../relay-host.ts';
import { admitRequest, type Gate } from './admission/admit-request.ts';
import { createPathPolicy } from './admission/path-policy.ts';
import type { Outcome } from './outcome.ts';
import { answerRefusal, reportFailure } from './refusal.ts';
import type { DispatchContext, StreamDispatcher } from './stream-dispatcher.ts';
import { createTarget, type Target } from './target.ts';

/** What a dispatcher is made of. */
export type DispatcherOptions = HostTarget & {
  readonly policy?: HostPolicy | undefined;
  readonly clock?: Clock | undefined;
  /**
   * How long the origin may take to begin its answer, in ms, counted from the last byte of the request that it took.
   * @default 300000
   */
  readonly responseTimeoutMs?: number | undefined;
  /** How long the origin may take to open a WebSocket, in ms. @default 30000 */
  readonly socketTimeoutMs?: number | undefined;
  /** Most requests at the origin at a time; more wait for their turn. @default 1024 */
  readonly maxOriginRequests?: number | undefined;
};

/** Takes streams to an origin or a handler. Throws a HostOptionError for an origin or a path that is not usable. */
export function createDispatcher(options: DispatcherOptions): StreamDispatcher {
  const gate = createGate(options.policy ?? {});
  const target = createTarget(options, {
    clock: options.clock ?? systemClock,
    responseTimeoutMs: options.responseTimeoutMs ?? 300_000,
    socketTimeoutMs: options.socketTimeoutMs ?? 30_000,
    maxOriginRequests: options.maxOriginRequests ?? 1024,
  });
  return {
    onRequest(stream, context) {
      serveRequest(stream, context, { gate, target }).catch(() => abandon(stream, context));
    },
    onSocket(stream, context) {
      serveSocketStream(stream, context, { gate, target }).catch(() => abandon(stream, context));
    },
    close: () => target.close(),
  };
}

function createGate({ allowPaths, admit }: HostPolicy): Gate {
  const policy = createPathPolicy(allowPaths ?? ['/']);
  if (!policy.isUsable) {
    throw new HostOptionError({
      option: 'policy.allowPaths',
      expected: 'paths such as /api, without query, empty or dot segments and encoded slashes',
      got: describeValue(policy.fault),
    });
  }
  return { isPathAllowed: policy.isPathAllowed, admit };
}

interface Parts {
  readonly gate: Gate;
  readonly target: Target;
}

async function serveRequest(stream: HostHttpStream, context: DispatchContext, parts: Parts): Promise<void> {
  const { request } = stream;
  const decision = await admitRequest(
    { ...request, kind: 'http', connectionId: context.connectionId },
    parts.gate,
  );
  const outcome: Outcome = decision.isAdmitted
    ? await parts.target.serve(stream, decision, context)
    : { kind: 'refused', refusal: decision.refusal };
  switch (outcome.kind) {
    case 'refused':
      answerRefusal(stream, outcome.refusal);
      reportFailure(context, request.path, outcome.refusal.error);
      break;
    case 'broken-off':
      stream.abort('the origin broke off its answer');
      reportFailure(context, request.path, 'origin_broke_off');
      break;
    case 'answered':
    case 'abandoned':
  }
}

async function serveSocketStream(
  stream: HostSocketStream,
  context: DispatchContext,
  parts: Parts,
): Promise<void> {
  const { path, query, headers = {} } = stream.request;
  const decision = await admitRequest(
    { connectionId: context.connectionId, kind: 'websocket', method: 'GET', path, query, headers },
    parts.gate,
  );
  const failure = decision.isAdmitted
    ? await parts.target.serveSocket(stream, decision)
    : decision.refusal.error;
  if (failure !== undefined) {
    stream.abort(failure);
    reportFailure(context, path, failure);
  }
}

/** A stream that broke has told its end already; anything else is a fault of this package, and costs this stream only. */
function abandon(stream: HostHttpStream | HostSocketStream, context: DispatchContext): void {
  if (!stream.signal.aborted) {
    stream.abort('internal_error');
    reportFailure(context, stream.request.path, 'internal_error');
  }
}
