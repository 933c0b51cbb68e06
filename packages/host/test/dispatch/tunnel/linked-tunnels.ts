import {
  type ChannelEnd,
  type ChannelListener,
  type ClientTunnel,
  createClientTunnel,
  createHostTunnel,
  type SecureChannel,
} from '@openchambery/tunnel';
import { onTestFinished } from 'vitest';
import { createDispatcher, type DispatcherOptions } from '../../../src/dispatch/create-dispatcher.ts';

/** One end of a channel in memory: one plaintext arrives in each turn of the event loop. */
class MemoryChannel implements SecureChannel {
  peer: MemoryChannel | undefined;
  #listener: ChannelListener | undefined;
  readonly #arrived: Uint8Array[] = [];
  #arrivedBytes = 0;
  #isReading = true;
  #isTurnPending = false;
  #isOver = false;

  open = (listener: ChannelListener): SecureChannel => {
    this.#listener = listener;
    setImmediate(() => listener.onEstablished({ isBatching: true }));
    return this;
  };

  get pendingBytes(): number {
    return this.peer?.arrivedBytes ?? 0;
  }

  get arrivedBytes(): number {
    return this.#arrivedBytes;
  }

  send(plaintext: Uint8Array): void {
    this.peer?.arrive(plaintext);
  }

  pauseReading(): void {
    this.#isReading = false;
  }

  resumeReading(): void {
    this.#isReading = true;
    this.#deliverSoon();
  }

  close(end: { readonly code: number; readonly reason: string }, cause: ChannelEnd['cause'] = 'local'): void {
    this.end({ ...end, cause });
    this.peer?.end({ ...end, cause: 'peer' });
  }

  arrive(plaintext: Uint8Array): void {
    this.#arrived.push(plaintext);
    this.#arrivedBytes += plaintext.length;
    this.#deliverSoon();
  }

  end(end: ChannelEnd): void {
    if (this.#isOver) return;
    this.#isOver = true;
    queueMicrotask(() => this.#listener?.onClose(end));
  }

  drained(): void {
    if (!this.#isOver) this.#listener?.onDrain();
  }

  #deliverSoon(): void {
    if (this.#isTurnPending) return;
    this.#isTurnPending = true;
    setImmediate(() => {
      this.#isTurnPending = false;
      if (this.#isOver || !this.#isReading) return;
      const plaintext = this.#arrived.shift();
      if (plaintext === undefined) return;
      this.#arrivedBytes -= plaintext.length;
      this.#listener?.onPlaintext(plaintext);
      this.peer?.drained();
      this.#deliverSoon();
    });
  }
}

/** A Client's tunnel to a Host that dispatches. */
export async function openTunnel(options: DispatcherOptions): Promise<ClientTunnel> {
  const [clientEnd, hostEnd] = [new MemoryChannel(), new MemoryChannel()];
  clientEnd.peer = hostEnd;
  hostEnd.peer = clientEnd;
  const dispatcher = createDispatcher(options);
  const context = { connectionId: 'conn-1', report: () => 'the Client sees it too' };
  createHostTunnel(
    { openChannel: hostEnd.open },
    {
      onOpen: () => 'the Client opens too',
      onClose: () => 'the Client closes too',
      onRequest: (stream) => dispatcher.onRequest(stream, context),
      onSocket: (stream) => dispatcher.onSocket(stream, context),
    },
  );
  const opened = Promise.withResolvers<void>();
  const tunnel = createClientTunnel(
    { openChannel: clientEnd.open },
    { onOpen: opened.resolve, onClose: () => 'asked for' },
  );
  await opened.promise;
  onTestFinished(() => {
    tunnel.close(1000, 'the test is over');
    dispatcher.close();
  });
  return tunnel;
}
