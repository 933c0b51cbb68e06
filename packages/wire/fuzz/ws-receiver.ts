import type { Writable } from 'node:stream';
import * as library from 'ws';

/** Where the library's decoder delivers. */
export interface ReceiverEvents {
  readonly onMessage: (data: Buffer, isBinary: boolean) => void;
  readonly onConclude: (code: number, reason: Buffer) => void;
  readonly onError: (error: Error & { readonly code?: string }) => void;
}

type ReceiverConstructor = new (options: {
  readonly isServer: boolean;
  readonly maxPayload: number;
  readonly skipUTF8Validation: boolean;
}) => Writable;

/** The library exports this class; its types leave it out. */
const { Receiver } = library as unknown as { readonly Receiver: ReceiverConstructor };

/** Has the library read a stream of masked frames, as a server does. */
export async function readWithLibrary(
  stream: Buffer,
  maxPayload: number,
  events: ReceiverEvents,
): Promise<void> {
  const receiver = new Receiver({ isServer: true, maxPayload, skipUTF8Validation: true });
  receiver.on('message', events.onMessage);
  receiver.on('conclude', events.onConclude);
  receiver.on('error', events.onError);
  // Copied, as it unmasks in place.
  receiver.write(Buffer.from(stream));
  await new Promise((resolve) => setImmediate(resolve));
}
