import { closeSync, openSync, readSync } from 'node:fs';

/** A key takes about 250 bytes; more than this many is another file. */
const MAX_KEY_FILE_BYTES = 16_384;

/** The text of a file, or a phrase why there is none. */
export type KeyFile = { readonly text: string } | { readonly problem: string };

/** Reads a small text file; a bound keeps a wrong path (`/dev/zero`, a database) from being read to its end. */
export function readKeyFile(path: string): KeyFile {
  try {
    const fd = openSync(path, 'r');
    try {
      return readBounded(fd);
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    return { problem: describe(error) };
  }
}

function readBounded(fd: number): KeyFile {
  const buffer = Buffer.alloc(MAX_KEY_FILE_BYTES + 1);
  let length = 0;
  for (;;) {
    const read = readSync(fd, buffer, length, buffer.length - length, null);
    length += read;
    if (length > MAX_KEY_FILE_BYTES) return { problem: `it is larger than ${MAX_KEY_FILE_BYTES} bytes` };
    if (read === 0) return { text: buffer.toString('utf8', 0, length) };
  }
}

/** Node says `ENOENT: no such file or directory, open '/path'`; the path is said by whoever asks. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return 'it cannot be read';
  const code = 'code' in error ? String(error.code) : error.name;
  const reason = /^[A-Z0-9]+: (?<reason>[^,\n]*)/.exec(error.message)?.groups?.['reason'];
  return reason === undefined ? `it cannot be read (${code})` : `${reason} (${code})`;
}
