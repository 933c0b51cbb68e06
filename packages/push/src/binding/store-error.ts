/** The store cannot be opened, or cannot do what it was asked; the message names the file and says why. */
export class PushStoreError extends Error {
  override readonly name = 'PushStoreError';
  /** Stable across releases. */
  readonly code = 'ERR_PUSH_STORE';
}
