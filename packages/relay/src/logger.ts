/**
 * Where the relay reports to. Shaped like pino's methods: fields first, one sentence after.
 * The relay never passes a URL query, a signature, a key, a grant or a payload.
 */
export interface RelayLogger {
  debug(fields: Record<string, unknown>, message: string): void;
  info(fields: Record<string, unknown>, message: string): void;
  warn(fields: Record<string, unknown>, message: string): void;
  error(fields: Record<string, unknown>, message: string): void;
}

function discard(): void {
  // The default of a library: nobody asked to hear anything.
}

/** Drops everything. */
export const silentLogger: RelayLogger = { debug: discard, info: discard, warn: discard, error: discard };
