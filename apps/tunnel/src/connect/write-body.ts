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
  const reader = watchReader(target);
  try {
    for (;;) {
      const chunk = await body.read();
      if (chunk === undefined) return 'whole';
      if (reader.isGone()) return 'reader-gone';
      onBytes?.(chunk.byteLength);
      if (!target.write(chunk)) await reader.whenReady();
    }
  } finally {
    reader.stop();
  }
}

interface ReaderWatch {
  isGone(): boolean;
  /** Resolves when the target takes more, or will not take anything any more. */
  whenReady(): Promise<void>;
  stop(): void;
}

/** What a stream says of itself does not do: stdout recovers from its errors, and goes on to lose what is written. */
function watchReader(target: Writable): ReaderWatch {
  let isGone = target.destroyed;
  let wake: (() => void) | undefined;
  const onDrain = (): void => wake?.();
  const onGone = (): void => {
    isGone = true;
    wake?.();
  };
  target.on('drain', onDrain).on('close', onGone).on('error', onGone);
  return {
    isGone: () => isGone,
    whenReady: () =>
      new Promise((resolve) => {
        wake = resolve;
        if (isGone) resolve();
      }),
    stop: () => void target.off('drain', onDrain).off('close', onGone).off('error', onGone),
  };
}
