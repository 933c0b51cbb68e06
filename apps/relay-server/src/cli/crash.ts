/**
 * What a crash may put into the log. Never the whole error: Node hangs the bad input on some of them
 * (`ERR_INVALID_URL` carries the URL, query and all).
 */
export function describeCrash(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) {
    return { error: typeof error };
  }
  return { error: error.name, code: 'code' in error ? error.code : undefined, stack: error.stack };
}
