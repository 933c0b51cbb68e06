import type { ChannelEnd, ChannelListener } from '../../src/index.ts';
import { toHex } from '../frame/bytes.ts';

/** Writes down what a channel tells, and lets a test wait for it. */
export class RecordingListener implements ChannelListener {
  readonly established: { readonly isBatching: boolean }[] = [];
  readonly plaintexts: Uint8Array[] = [];
  readonly ends: ChannelEnd[] = [];
  drains = 0;
  /** Called with each plaintext. */
  onEach: ((plaintext: Uint8Array) => void) | undefined;
  /** Called when established. */
  onReady: (() => void) | undefined;
  readonly #waits = new Set<() => void>();

  get texts(): string[] {
    return this.plaintexts.map(toHex);
  }

  onEstablished(facts: { readonly isBatching: boolean }): void {
    this.established.push(facts);
    this.onReady?.();
    this.#tell();
  }

  onPlaintext(plaintext: Uint8Array): void {
    if (this.ends.length > 0) throw new Error('a plaintext after the end');
    if (this.established.length === 0) throw new Error('a plaintext before the beginning');
    this.plaintexts.push(plaintext);
    this.onEach?.(plaintext);
    this.#tell();
  }

  onDrain(): void {
    this.drains++;
    this.#tell();
  }

  onClose(end: ChannelEnd): void {
    this.ends.push(end);
    this.#tell();
  }

  /** Resolves when `isThere` says so after something was told. */
  async until(isThere: () => boolean): Promise<void> {
    if (isThere()) return;
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const wait = (): void => {
      if (!isThere()) return;
      this.#waits.delete(wait);
      resolve(undefined);
    };
    this.#waits.add(wait);
    await promise;
  }

  #tell(): void {
    for (const wait of this.#waits) wait();
  }
}
