import { UsageError } from './usage-error.ts';

/**
 * The first line of stdin: whoever pastes it into a terminal ends it there.
 * @throws {UsageError} when it is longer than `maxBytes`.
 */
export async function readStdinLine(maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of process.stdin) {
    const bytes = chunk as Buffer;
    length += bytes.length;
    chunks.push(bytes);
    if (bytes.includes(0x0a)) break;
    if (length > maxBytes) break;
  }
  const [line = ''] = Buffer.concat(chunks).toString().split('\n', 1);
  if (Buffer.byteLength(line) <= maxBytes) return line;
  throw new UsageError(`Invalid stdin: expected a line of at most ${maxBytes} bytes`);
}
