import { type AeadKey, type ImportAeadKey, webCryptoAeadKey } from '../../src/index.ts';
import { createNodeAeadKey } from '../../src/node/index.ts';

/** Every cipher there is, and how it answers. */
export const CIPHERS: readonly (readonly [string, ImportAeadKey])[] = [
  ['WebCrypto', webCryptoAeadKey],
  ['node:crypto', createNodeAeadKey],
];

/** A cipher that answers when the test says so, in whatever order. */
export class HeldCipher {
  /** What seals and opens wait for, in the order they were asked for. */
  readonly seals: PromiseWithResolvers<undefined>[] = [];
  readonly opens: PromiseWithResolvers<undefined>[] = [];
  isHolding = true;

  readonly importKey: ImportAeadKey = (rawKey) => {
    const key = createNodeAeadKey(rawKey);
    return {
      seal: (iv, plaintext) => this.#after(this.seals, () => key.seal(iv, plaintext)),
      open: (frame) => this.#after(this.opens, () => key.open(frame)),
    } satisfies AeadKey;
  };

  #after<Result>(
    list: PromiseWithResolvers<undefined>[],
    work: () => Result | Promise<Result>,
  ): Result | Promise<Result> {
    if (!this.isHolding) return work();
    const held = Promise.withResolvers<undefined>();
    list.push(held);
    return held.promise.then(work);
  }
}

/** Lets everything that is ready happen, promises of promises too. */
export async function settle(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}
