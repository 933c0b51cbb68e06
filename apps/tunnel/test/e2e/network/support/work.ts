import { once } from 'node:events';
import type { RelayClient } from '@openchambery/client';
import { RelayClientError } from '@openchambery/client';
import { patternPiece, withTimeout } from '@openchambery/testkit';
import { expect } from 'vitest';
import { readAll, whole } from './transfer.ts';

/** How a piece of work ended, where nothing else is an acceptable end. */
export type WorkEnd = 'done' | 'failed';

/** Longer than any retry takes, in ms. */
const PATIENCE_MS = 15_000;

const BYTES = 300_000;

/** What may be said of a connection that broke. */
const CLEAR_ERRORS = [
  'ERR_RELAY_CLIENT_ABORTED_BY_HOST',
  'ERR_RELAY_CLIENT_CONNECTION_LOST',
  'ERR_RELAY_CLIENT_HOST_UNAVAILABLE',
  'ERR_RELAY_CLIENT_UNREACHABLE',
] as const;

/** What a WebSocket closes with whose connection broke: at the tunnel, before it was open, at the origin. */
const CLEAR_CLOSES: readonly number[] = [1012, 1006, 1011];

/** All that a Client does at a time, each piece to an end that is one of the two; anything else throws. */
export async function workOf(client: RelayClient, name: string): Promise<readonly WorkEnd[]> {
  const work = [get(client, name), post(client, name), echo(client)];
  return await withTimeout(Promise.all(work), () => `work ${name} hangs`, PATIENCE_MS);
}

async function get({ fetch }: RelayClient, name: string): Promise<WorkEnd> {
  try {
    const response = await fetch(`/bytes/${BYTES}?${name}`);
    if (response.status !== 200) return await gatewayFailed(response);
    expect(await readAll(response.body)).toEqual(whole(BYTES));
    return 'done';
  } catch (error) {
    return failedClearly(error);
  }
}

async function post({ fetch }: RelayClient, name: string): Promise<WorkEnd> {
  try {
    const response = await fetch(`/sink?${name}`, {
      method: 'POST',
      body: new Uint8Array(patternPiece(0, BYTES)),
    });
    if (response.status !== 200) return await gatewayFailed(response);
    expect(await response.json()).toEqual(whole(BYTES));
    return 'done';
  } catch (error) {
    return failedClearly(error);
  }
}

async function gatewayFailed(response: Response): Promise<WorkEnd> {
  expect(await response.json()).toMatchObject({ error: 'bad_gateway' });
  return 'failed';
}

function failedClearly(error: unknown): WorkEnd {
  if (!(error instanceof RelayClientError)) throw error;
  expect(CLEAR_ERRORS).toContain(error.code);
  expect(error.message).not.toBe('');
  return 'failed';
}

/** Sends messages of many sizes, and takes them back one by one. */
async function echo(client: RelayClient): Promise<WorkEnd> {
  const socket = new client.WebSocket('/ws/echo');
  socket.binaryType = 'arraybuffer';
  const closed = once(socket, 'close') as Promise<[CloseEvent]>;
  const opened = await Promise.race([once(socket, 'open').catch(() => 'failed'), closed]);
  if (opened !== 'failed' && socket.readyState === socket.OPEN) {
    for (const size of [0, 1, 70_000, 130_000]) {
      const sent = new Uint8Array(patternPiece(size, size));
      const answered = new Promise<ArrayBuffer>((resolve) => {
        socket.onmessage = ({ data }) => resolve(data as ArrayBuffer);
      });
      socket.send(sent);
      const answer = await Promise.race([answered, closed]);
      if (!(answer instanceof ArrayBuffer)) break;
      expect(Buffer.from(answer).equals(sent)).toBe(true);
      if (size === 130_000) {
        socket.close(1000);
        return 'done';
      }
    }
  }
  const [{ code }] = await closed;
  expect(CLEAR_CLOSES).toContain(code);
  return 'failed';
}
