/** An answer as it came over the wire. */
export interface RawAnswer {
  readonly status: number;
  /** In order, names in lower case. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
  /** All of it, head included. */
  readonly text: string;
}

/** How an answer is found at the front of what arrived; interim ones (RFC 9110 §15.2) are passed over. */
export function parseAnswer(
  bytes: Buffer,
): { readonly value: RawAnswer; readonly usedBytes: number } | undefined {
  const end = bytes.indexOf('\r\n\r\n');
  if (end === -1) return undefined;
  const [statusLine = '', ...lines] = bytes.toString('latin1', 0, end).split('\r\n');
  // 0 is no status of HTTP: whoever judges the answer says so.
  const status = Number(/^HTTP\/1\.1 (\d{3}) /u.exec(statusLine)?.[1] ?? 0);
  if (status === 100) {
    const rest = parseAnswer(bytes.subarray(end + 4));
    return rest === undefined ? undefined : { value: rest.value, usedBytes: end + 4 + rest.usedBytes };
  }
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  });
  const length = Number(headerOf(headers, 'content-length') ?? 0);
  const usedBytes = end + 4 + length;
  if (bytes.length < usedBytes) return undefined;
  const body = bytes.toString('utf8', end + 4, usedBytes);
  return { value: { status, headers, body, text: bytes.toString('utf8', 0, usedBytes) }, usedBytes };
}

/** The value of a header; undefined without one. */
export function headerOf(headers: RawAnswer['headers'], name: string): string | undefined {
  return headers.find(([each]) => each === name)?.[1];
}
