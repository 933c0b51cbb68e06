import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { codeOf, describeValue } from '../cli/describe-value.ts';
import { UsageError } from '../cli/usage-error.ts';
import type { DataSource } from './get-config.ts';

/** A body to send. */
export type RequestData = Uint8Array | ReadableStream<Uint8Array>;

/**
 * Opens the body of a request. Files and stdin are read as they are sent.
 * @throws {UsageError} for a file that cannot be read.
 */
export async function openData(source: DataSource): Promise<RequestData> {
  switch (source.from) {
    case 'text':
      return new TextEncoder().encode(source.text);
    case 'stdin':
      return toBytes(process.stdin);
    case 'file':
      return toBytes(await openFile(source.path));
  }
}

async function openFile(path: string): Promise<Readable> {
  try {
    const handle = await open(path, 'r');
    if ((await handle.stat()).isDirectory()) {
      await handle.close();
      throw Object.assign(new Error('a folder'), { code: 'EISDIR' });
    }
    return createReadStream(path, { fd: handle });
  } catch (error) {
    throw new UsageError(
      `Invalid --data: expected a file that can be read, got ${describeValue(path)} (${codeOf(error) ?? 'unknown error'})`,
      { cause: error },
    );
  }
}

function toBytes(stream: Readable): ReadableStream<Uint8Array> {
  return Readable.toWeb(stream) as ReadableStream<Uint8Array>;
}
