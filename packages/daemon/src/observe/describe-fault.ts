/** What may be logged of something thrown by code that handles secrets. */
export interface FaultDescription {
  /** Name of the class, and the code where there is one. */
  readonly error: string;
  /** Where it was thrown: the first line of its stack that is a place. */
  readonly at?: string;
}

const MAX_CHARS = 200;

/** Names a fault without its message, which may quote what could not be handled: a body, a token. Never throws. */
export function describeFault(error: unknown): FaultDescription {
  if (!(error instanceof Error)) return { error: typeof error };
  const { name, message, stack } = error;
  const code = 'code' in error && typeof error.code === 'string' ? ` (${error.code})` : '';
  // The message stands in front of the places, and may look like one.
  const places = (stack ?? '').replace(message, () => '');
  const at = /^\s+at (?<place>.+:\d+:\d+\)?)$/m.exec(places)?.groups?.['place'];
  return {
    error: `${name}${code}`.slice(0, MAX_CHARS),
    ...(at === undefined ? {} : { at: at.slice(0, MAX_CHARS) }),
  };
}
