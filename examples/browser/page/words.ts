/** What went wrong, in words. */
export function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** What an answer says that is not the one hoped for: in its own words where the Host or the program gives some. */
export async function wordsOfAnswer(response: Response): Promise<string> {
  const message = isJson(response) ? messageIn(await response.text()) : undefined;
  if (message === undefined) await response.body?.cancel();
  return message === undefined ? `the program answered ${response.status}` : `${response.status}: ${message}`;
}

/** The words of a refusal, `{"error":"…","message":"…"}`. */
export function messageIn(json: string): string | undefined {
  try {
    const { error, message } = JSON.parse(json) as { readonly error?: unknown; readonly message?: unknown };
    return typeof error === 'string' && typeof message === 'string' ? message : undefined;
  } catch {
    // Not JSON, or `null`.
    return undefined;
  }
}

export function isJson({ headers }: Response): boolean {
  return headers.get('content-type')?.startsWith('application/json') === true;
}

/** Bytes for people, where they may be few. */
export function size(bytes: number): string {
  return bytes < 1024 * 1024 ? `${(bytes / 1024).toFixed(1)} KiB` : mebibytes(bytes);
}

/** Bytes for people. */
export function mebibytes(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
}
