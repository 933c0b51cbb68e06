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

/** A frame of a stack, as V8 writes it. */
const FRAME = /^ {4}at [^\n]+$/gm;

/** The same without the error's message, for a program whose errors may quote their input. */
export function describeCrashPlace(error: unknown): Record<string, unknown> {
  const description = describeCrash(error);
  return error instanceof Error ? { ...description, stack: framesOf(error) } : description;
}

/** The message comes before the frames and may have lines that look like some. */
function framesOf({ stack = '', message }: Error): string {
  const start = stack.indexOf(message);
  // A message that was changed after the error was made is not in its stack; what is there instead, who knows.
  if (start === -1) return '';
  return (stack.slice(start + message.length).match(FRAME) ?? []).join('\n');
}
