/**
 * Where a daemon reports to. Shaped like pino's methods: fields first, one sentence after.
 * No daemon ever passes a URL query, a signature, a key, a grant, a device token or a payload.
 */
export interface Logger {
  debug(fields: Record<string, unknown>, message: string): void;
  info(fields: Record<string, unknown>, message: string): void;
  warn(fields: Record<string, unknown>, message: string): void;
  error(fields: Record<string, unknown>, message: string): void;
}

function discard(): void {
  // The default of a library: nobody asked to hear anything.
}

/** Drops everything. */
export const silentLogger: Logger = { debug: discard, info: discard, warn: discard, error: discard };
