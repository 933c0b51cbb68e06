/** A frame of a stack, as V8 writes it. */
const FRAME = /^ {4}at [^\n]+$/gm;

/** What a crash says: where it was, never the error's message, which may quote a link or a header. */
export function describeCrash(error: unknown): string {
  if (!(error instanceof Error)) return 'openchamber-tunnel crashed; please report this\n';
  const { name, message, stack = '' } = error;
  const start = stack.indexOf(message);
  // A message that was changed after the error was made is not in its stack; what is there instead, who knows.
  const frames = start === -1 ? [] : (stack.slice(start + message.length).match(FRAME) ?? []);
  return `openchamber-tunnel crashed; please report this: ${name}\n${frames.map((frame) => `${frame}\n`).join('')}`;
}
