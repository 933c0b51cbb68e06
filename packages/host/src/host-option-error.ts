/** What is wrong with an option, in parts. */
export interface HostOptionFault {
  /** The option's name. */
  readonly option: string;
  /** What is allowed, as a phrase: `an integer from 1 to 100`. */
  readonly expected: string;
  /** The value at fault as short printable text; strings in double quotes; never a secret. */
  readonly got: string;
}

/** An option of a Host is not usable. Thrown before anything is opened. */
export class HostOptionError extends Error {
  override readonly name = 'HostOptionError';
  /** Stable across releases. */
  readonly code = 'ERR_HOST_OPTION';
  /** See {@link HostOptionFault}. */
  readonly option: string;
  /** See {@link HostOptionFault}. */
  readonly expected: string;
  /** See {@link HostOptionFault}. */
  readonly got: string;

  constructor({ option, expected, got }: HostOptionFault, options?: ErrorOptions) {
    super(`Invalid option ${option}: expected ${expected}, got ${got}`, options);
    this.option = option;
    this.expected = expected;
    this.got = got;
  }
}

/** Longest stretch of a bad value worth repeating in a message, in UTF-16 units. */
const MAX_ECHO_CHARS = 80;

/** Renders a bad value for a message: one line, printable ASCII, bounded. */
export function describeValue(value: unknown): string {
  if (typeof value === 'string') return describeText(value);
  if (typeof value === 'number' || typeof value === 'boolean' || value === undefined || value === null) {
    return String(value);
  }
  return Array.isArray(value) ? 'an array' : `a value of type ${typeof value}`;
}

function describeText(text: string): string {
  const shown = text.length > MAX_ECHO_CHARS ? `${text.slice(0, MAX_ECHO_CHARS)}…` : text;
  return JSON.stringify(shown).replaceAll(
    /[^\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
