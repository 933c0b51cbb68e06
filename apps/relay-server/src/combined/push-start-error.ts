/** Push does not run; the message is one printable line for the operator. */
export class PushStartError extends Error {
  override readonly name = 'PushStartError';
  /** Stable across releases. */
  readonly code = 'ERR_PUSH_START';
}

/** Why a thread has ended; without the message of the error, which may quote anything. */
export function describeEnd(error: unknown): string {
  if (!(error instanceof Error)) return 'its thread has ended';
  return `its thread has ended (${'code' in error ? String(error.code) : error.name})`;
}
