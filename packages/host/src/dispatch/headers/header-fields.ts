import type { TunnelHeaders } from '@openchambery/tunnel';

/** Values by lower-case name, in order of arrival. A map, because a name may be `__proto__`. */
export type HeaderFields = ReadonlyMap<string, readonly string[]>;

/** RFC 9110 section 5.6.2: token. */
const NAME = /^[!#$%&'*+\-.^_`|~0-9a-z]+$/;

/** RFC 9110 section 5.5: visible characters, space, tab, and bytes from 128. */
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Whether a header may stand in a message of HTTP/1.1; the name in lower case. */
export function isHeader(name: string, value: string): boolean {
  return NAME.test(name) && VALUE.test(value);
}

/** Headers of a tunnel frame as fields; names that differ in case only are one. */
export function fieldsOfTunnel(headers: TunnelHeaders): HeaderFields {
  return groupFields(
    Object.entries(headers).flatMap(([name, values]) =>
      (typeof values === 'string' ? [values] : values).map((value): [string, string] => [name, value]),
    ),
  );
}

/** Names and values in turn, as Node gives them, as fields. */
export function fieldsOfRaw(raw: readonly string[]): HeaderFields {
  const pairs: [string, string][] = [];
  for (let index = 0; index + 1 < raw.length; index += 2) {
    pairs.push([raw[index] ?? '', raw[index + 1] ?? '']);
  }
  return groupFields(pairs);
}

/** Pairs of name and value as fields. */
export function groupFields(pairs: Iterable<readonly [string, string]>): HeaderFields {
  const fields = new Map<string, string[]>();
  for (const [anyCase, value] of pairs) {
    const name = anyCase.toLowerCase();
    const values = fields.get(name);
    if (values === undefined) {
      fields.set(name, [value]);
    } else {
      values.push(value);
    }
  }
  return fields;
}
