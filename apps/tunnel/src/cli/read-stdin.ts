import { UsageError } from './usage-error.ts';

/**
 * All of stdin as text.
 * @throws {UsageError} when it is longer than `maxBytes`.
 */
export async function readStdin(maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of process.stdin) {
    const bytes = chunk as Buffer;
    length += bytes.length;
    if (length > maxBytes) throw new UsageError(`Invalid stdin: expected at most ${maxBytes} bytes`);
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString();
}
