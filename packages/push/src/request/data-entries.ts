import * as v from 'valibot';

const MAX_ENTRIES = 16;
const MAX_KEY_BYTES = 64;
const MAX_VALUE_BYTES = 256;
/** Keys and values together. */
const MAX_TOTAL_BYTES = 2048;

/** The app's own entries beside `aps`: a flat object of strings. */
export type DataEntries = Readonly<Record<string, string>>;

/** A check of our own: the library's record schema skips keys such as `constructor`, which are keys like any other. */
export const DATA_ENTRIES = v.custom<DataEntries>(isDataEntries);

function isDataEntries(value: unknown): value is DataEntries {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const entries: [string, unknown][] = Object.entries(value);
  if (entries.length > MAX_ENTRIES) return false;
  let totalBytes = 0;
  for (const [key, text] of entries) {
    if (typeof text !== 'string' || key === 'aps') return false;
    const keyBytes = Buffer.byteLength(key);
    const valueBytes = Buffer.byteLength(text);
    if (keyBytes < 1 || keyBytes > MAX_KEY_BYTES || valueBytes > MAX_VALUE_BYTES) return false;
    totalBytes += keyBytes + valueBytes;
  }
  return totalBytes <= MAX_TOTAL_BYTES;
}
