import type { TunnelSource } from '../connection/tunnel-source.ts';
import type { RawResponse } from '../relay-client.ts';
import { RelayClientError } from '../relay-client-error.ts';
import { type Call, exchange } from './exchange.ts';
import { isIdempotent } from './method.ts';

/** A request that takes the connection down with it is not sent for ever. */
const MAX_RESENDS = 4;

/** Sends a request, and sends it again when the connection breaks before its answer and it may be repeated. */
export async function send(source: TunnelSource, request: Omit<Call, 'lossError'>): Promise<RawResponse> {
  const { signal, body, head } = request;
  signal?.throwIfAborted();
  const call: Call = { ...request, lossError: () => source.lossError() };
  const isRepeatable = isIdempotent(head.method) && body?.isReplayable !== false;
  for (let resends = 0; ; resends += 1) {
    const tunnel = await source.tunnel(signal);
    signal?.throwIfAborted();
    try {
      return await exchange(tunnel, call);
    } catch (error) {
      if (!isRepeatable || !isLoss(error) || resends === MAX_RESENDS) throw error;
    }
  }
}

function isLoss(error: unknown): boolean {
  return error instanceof RelayClientError && error.code === 'ERR_RELAY_CLIENT_CONNECTION_LOST';
}
