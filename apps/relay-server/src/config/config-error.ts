/** A flag or variable is not usable; the message is one printable line for the operator. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  /** Stable across releases. */
  readonly code = 'ERR_RELAY_CONFIG';
}
