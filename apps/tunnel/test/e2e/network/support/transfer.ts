import { createHash } from 'node:crypto';
import type { RelayClient } from '@openchambery/client';
import { patternPieces, patternSha256, withTimeout } from '@openchambery/testkit';

/** A transfer that takes longer than this hangs, in ms. */
const PATIENCE_MS = 60_000;

/** What arrived. */
export interface Received {
  readonly bytes: number;
  readonly sha256: string;
}

/** What should arrive of a transfer of so many bytes of the pattern. */
export function whole(bytes: number): Received {
  return { bytes, sha256: patternSha256(bytes) };
}

/** Reads a body to its end; `onBytes` is awaited between two reads. */
export async function readAll(
  body: ReadableStream<Uint8Array> | null,
  onBytes: (bytes: number) => unknown = () => undefined,
): Promise<Received> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of body ?? []) {
    hash.update(chunk);
    bytes += chunk.length;
    await onBytes(bytes);
  }
  return { bytes, sha256: hash.digest('hex') };
}

/** Downloads so many bytes of the pattern. */
export function download(
  { fetch }: RelayClient,
  bytes: number,
  onBytes?: (bytes: number) => unknown,
): Promise<Received> {
  const all = async (): Promise<Received> => {
    const response = await fetch(`/bytes/${bytes}`);
    return await readAll(response.body, onBytes);
  };
  return withTimeout(all(), () => `a download of ${bytes} bytes goes on`, PATIENCE_MS);
}

/** Uploads so many bytes of the pattern; what the origin says it got. */
export function upload(
  { fetch }: RelayClient,
  bytes: number,
  onBytes: (bytes: number) => unknown = () => undefined,
): Promise<Received> {
  const all = async (): Promise<Received> => {
    const response = await fetch('/sink', {
      method: 'POST',
      body: uploadBody(bytes, onBytes),
      duplex: 'half',
    });
    return (await response.json()) as Received;
  };
  return withTimeout(all(), () => `an upload of ${bytes} bytes goes on`, PATIENCE_MS);
}

/** A body of so many bytes of the pattern, as fast as it is read. */
export function uploadBody(
  bytes: number,
  onBytes: (bytes: number) => unknown = () => undefined,
): ReadableStream<Uint8Array> {
  const pieces = patternPieces(bytes);
  let sent = 0;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { value, done } = pieces.next();
      if (done === true) return controller.close();
      controller.enqueue(value);
      sent += value.length;
      await onBytes(sent);
    },
  });
}
