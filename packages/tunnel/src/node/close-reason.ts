/** A close frame has 125 bytes, two of which are the code (RFC 6455 section 5.5). */
const MAX_REASON_BYTES = 123;

/** As much of `reason` as a close frame holds, cut between characters. */
export function trimCloseReason(reason: string): string {
  const bytes = Buffer.from(reason);
  if (bytes.length <= MAX_REASON_BYTES) return reason;
  let end = MAX_REASON_BYTES;
  // A byte 10xxxxxx continues a character (RFC 3629 section 3).
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return bytes.toString('utf8', 0, end);
}
