import { createRelayClient } from '@openchambery/client';
import type { RawResponse } from '@openchambery/client';
import { reportJson } from '../cli/output.ts';
import type { Settings } from '../cli/settings.ts';
import type { Surroundings } from '../cli/surroundings.ts';
import { describeClient } from '../connect/client-text.ts';
import { readLink } from '../connect/read-link.ts';
import { writeBody } from '../connect/write-body.ts';
import { fileTarget, stdoutTarget } from './body-target.ts';
import type { BodyTarget } from './body-target.ts';
import { resolveGet } from './get-config.ts';
import type { GetConfig } from './get-config.ts';
import { openData } from './open-data.ts';
import { createProgress } from './progress.ts';
import type { Progress } from './progress.ts';

/** What curl answers with for a status of 400 and above when it is asked to tell. */
const EXIT_HTTP_ERROR = 22;

/** How long a script waits for a tunnel, in ms. */
const CONNECT_TIMEOUT_MS = 15_000;

/**
 * Runs `get`.
 * @returns the exit code: 0 for a status below 400, 22 from there on; that of the signal when it was interrupted.
 * @throws what the tunnel breaks with, or a UsageError.
 */
export async function runGet(settings: Settings, surroundings: Surroundings): Promise<number> {
  const { style, stopping } = surroundings;
  const config = resolveGet(settings, style);
  const facts = await readLink(config.linkOperand, settings, surroundings);
  const client = createRelayClient({
    ...facts,
    clock: surroundings.clock,
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
  });
  const isBodyShown = config.output === undefined && surroundings.stdoutColumns() !== undefined;
  const progress = createProgress(surroundings, isBodyShown);
  client.onStatus(({ state }) => {
    const text = describeClient(client, { openCount: 0, refusal: undefined, detail: 'brief' });
    progress.connection({ isThere: state === 'connected', text });
  });
  try {
    const { target, method, headers } = config;
    const body = await requestBodyOf(config, progress);
    const response = await client.request({ ...target, method, headers, body, signal: stopping });
    const received = await receive(response, { config, progress });
    progress.end();
    const { status } = response;
    if (style.json) reportJson(surroundings.output, { status: 'ok', httpStatus: status, ...received });
    return status < 400 ? 0 : EXIT_HTTP_ERROR;
  } catch (error) {
    progress.end();
    if (stopping.aborted) return Number(stopping.reason);
    throw error;
  } finally {
    client.close();
  }
}

async function requestBodyOf({ data }: GetConfig, progress: Progress): Promise<GetBody> {
  if (data === undefined) return undefined;
  const body = await openData(data);
  if (body instanceof Uint8Array) return body;
  const counter = new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) => {
      progress.sent(chunk.byteLength);
      controller.enqueue(chunk);
    },
  });
  return body.pipeThrough(counter);
}

type GetBody = Uint8Array | ReadableStream<Uint8Array> | undefined;

interface Receiving {
  readonly config: GetConfig;
  readonly progress: Progress;
}

async function receive(
  response: RawResponse,
  { config, progress }: Receiving,
): Promise<{ readonly bytes: number }> {
  let bytes = 0;
  const target = await openTarget(config, response);
  try {
    const outcome = await writeBody(response.body, target.stream, (byteLength) => {
      bytes += byteLength;
      progress.received(byteLength);
    });
    // `get ... | head`: the reader has what it wanted.
    if (outcome === 'reader-gone') response.abort('the reader went away');
    await target.commit();
    return { bytes };
  } catch (error) {
    await target.discard();
    response.abort('the answer was not wanted any more');
    throw error;
  }
}

async function openTarget({ output }: GetConfig, response: RawResponse): Promise<BodyTarget> {
  if (output === undefined) return stdoutTarget();
  try {
    return await fileTarget(output);
  } catch (error) {
    response.abort('the answer could not be kept');
    throw error;
  }
}
