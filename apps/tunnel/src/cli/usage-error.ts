/** The command cannot do what it was asked; the message is one printable line that says what would help. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
  /** Stable across releases. */
  readonly code = 'ERR_TUNNEL_COMMAND';
}
