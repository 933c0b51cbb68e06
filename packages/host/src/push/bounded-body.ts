/** The text of a response; `undefined` when it has more than `maxBytes`. Rejects when the connection breaks. */
export async function readBounded(response: Response, maxBytes: number): Promise<string | undefined> {
  if (response.body === null) return '';
  const chunks: Uint8Array[] = [];
  let length = 0;
  // Leaving the loop cancels the rest.
  for await (const chunk of response.body) {
    length += chunk.length;
    if (length > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, length).toString('utf8');
}
