/** Where randomness comes from: that many bytes no one can guess. */
export type RandomBytes = (byteLength: number) => Uint8Array<ArrayBuffer>;

/** The platform's own. */
export const systemRandomBytes: RandomBytes = (byteLength) =>
  crypto.getRandomValues(new Uint8Array(byteLength));
