import { isJsonObject, type JsonObject } from './json.ts';
import type { TunnelHeaders } from './payloads.ts';

/** A token: names of fields, methods, subprotocols (RFC 9110 section 5.6.2). */
const TOKEN = /^[!#$%&'*+\-.^_`|~\w]+$/;

const LOWER_CASE_TOKEN = /^[!#$%&'*+\-.^_`|~0-9a-z]+$/;

/** Anything a field's value must not contain (RFC 9110 section 5.5). */
// oxlint-disable-next-line no-control-regex -- they are what it looks for
const NOT_IN_VALUE = /[^\t\u0020-\u007e\u0080-\u00ff]/;

/** Whether a text is a token (RFC 9110 section 5.6.2). */
export function isToken(text: string): boolean {
  return TOKEN.test(text);
}

/**
 * Reads the `headers` of a payload: values are strings or lists of strings. Names come out in lower case, and in the
 * one form that {@link TunnelHeaders} has. `undefined` when a name or value could not stand in an HTTP message.
 */
export function parseHeaders(value: unknown): TunnelHeaders | undefined {
  if (!isJsonObject(value)) return undefined;
  if (isInForm(value)) return value;
  const valuesByName = new Map<string, string[]>();
  for (const [name, written] of Object.entries(value)) {
    const values = parseValues(written);
    if (values === undefined || !isToken(name)) return undefined;
    if (values.length === 0) continue;
    const key = name.toLowerCase();
    const known = valuesByName.get(key);
    if (known === undefined) valuesByName.set(key, values);
    else for (const value of values) known.push(value);
  }
  // Made of entries, because assigning to a name such as `__proto__` would do something else.
  return Object.fromEntries(Array.from(valuesByName, ([name, values]) => [name, joinValues(name, values)]));
}

/** Whether all names are in lower case and all values texts, as nearly every peer writes them: nothing has to be made then. */
function isInForm(value: JsonObject): value is Readonly<Record<string, string>> {
  return Object.keys(value).every((name) => LOWER_CASE_TOKEN.test(name) && isFieldValue(value[name]));
}

function parseValues(written: unknown): string[] | undefined {
  const values: unknown[] = Array.isArray(written) ? written : [written];
  return values.every(isFieldValue) ? [...values] : undefined;
}

function isFieldValue(value: unknown): value is string {
  return typeof value === 'string' && !NOT_IN_VALUE.test(value);
}

function joinValues(name: string, values: readonly string[]): string | readonly string[] {
  const [first = ''] = values;
  if (values.length === 1) return first;
  if (name === 'set-cookie') return values;
  // The one field whose parts are joined by something else (RFC 9113 section 8.2.3).
  return values.join(name === 'cookie' ? '; ' : ', ');
}
