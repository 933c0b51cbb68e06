/** What an {@link OptionError} says, in parts, so that a command line can name its own flags instead. */
export interface OptionFault {
  /** The option at fault: `port`, `path`… or a limit such as `maxHosts`. */
  readonly option: string;
  /** What is allowed, as a phrase: `an integer from 0 to 65535`. */
  readonly expected: string;
  /** The value at fault as short printable text; strings in double quotes. */
  readonly got: string;
  /** The other option that a cross-check compares with; its name stands in `expected` as it is here. */
  readonly related?: string;
}

/** An option is not usable. Thrown before anything is opened. */
export abstract class OptionError extends Error {
  /** Stable across releases; each library has its own. */
  abstract readonly code: string;
  /** See {@link OptionFault}. */
  readonly option: string;
  /** See {@link OptionFault}. */
  readonly expected: string;
  /** See {@link OptionFault}. */
  readonly got: string;
  /** See {@link OptionFault}. */
  readonly related: string | undefined;

  constructor(fault: OptionFault) {
    super(`Invalid option ${fault.option}: expected ${fault.expected}, got ${fault.got}`);
    this.option = fault.option;
    this.expected = fault.expected;
    this.got = fault.got;
    this.related = fault.related;
  }
}

/** Longest stretch of a bad value worth repeating in a message. */
const MAX_ECHO_CHARS = 80;

/** Renders a bad value for a message: one line, printable ASCII, bounded, strings in double quotes. */
export function describeValue(value: unknown): string {
  if (typeof value === 'string') {
    return describeText(value);
  }
  if (typeof value === 'number' || typeof value === 'boolean' || value === undefined || value === null) {
    return String(value);
  }
  return Array.isArray(value) ? 'an array' : `a value of type ${typeof value}`;
}

function describeText(text: string): string {
  const cut = text.length > MAX_ECHO_CHARS;
  // Escaped beyond ASCII too: bidi controls and look-alikes would make the message lie about the value.
  const printable = JSON.stringify(cut ? text.slice(0, MAX_ECHO_CHARS) : text).replaceAll(
    /[^\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return cut ? `${printable}... (${text.length} characters)` : printable;
}
