import type { Writable } from 'node:stream';
import type { IncomingBytes } from '@openchambery/tunnel';

/** How writing a body ended; what breaks the tunnel is thrown. */
export type BodyOutcome = 'whole' | 'reader-gone';

/**
 * Writes a body as it comes, at the pace of whoever reads it. Does not end `target`. Rejects with what broke the tunnel.
 * @param onBytes hears of each chunk's length
 */
export async function writeBody(
  body: Pick<IncomingBytes, 'read'>,
  target: Writable,
  onBytes?: (byteLength: number) => void,
): Promise<BodyOutcome> {
  for (;;) {
    const chunk = await body.read();
    if (chunk === undefined) return 'whole';
    if (target.destroyed || target.errored !== null) return 'reader-gone';
    onBytes?.(chunk.byteLength);
    if (!target.write(chunk)) await whenWritable(target);
  }
}

/** Resolves when `target` takes more, or will not take anything any more. */
function whenWritable(target: Writable): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      target.off('drain', done).off('close', done).off('error', done);
      resolve();
    };
    if (target.destroyed) done();
    else target.on('drain', done).on('close', done).on('error', done);
  });
}
