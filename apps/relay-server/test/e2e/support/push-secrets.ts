/** Shorter strings appear by chance, or are words of the API. */
const SHORTEST_SECRET = 16;

/** What a push relay was told and has to keep to itself. */
export class SentSecrets {
  readonly #secrets = new Set<string>();

  /** Every string in `value`, names of members included. */
  add(value: unknown): void {
    if (typeof value === 'string') {
      if (value.length >= SHORTEST_SECRET) this.#secrets.add(value);
    } else if (Array.isArray(value)) {
      for (const one of value) this.add(one);
    } else if (typeof value === 'object' && value !== null) {
      for (const [name, one] of Object.entries(value)) {
        this.add(name);
        this.add(one);
      }
    }
  }

  /** The lines of a PEM. */
  addKey(pem: string): void {
    for (const line of pem.split('\n')) if (!line.startsWith('-----')) this.add(line);
  }

  /** Those that can be read in `text`, in the usual spellings. */
  foundIn(text: string): string[] {
    if (text === '') return [];
    return [...this.#secrets].filter((secret) => spellings(secret).some((one) => text.includes(one)));
  }
}

function spellings(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const inJson = JSON.stringify(secret).slice(1, -1);
  const base64 = bytes.toString('base64').replace(/=+$/u, '');
  return [secret, secret.toLowerCase(), secret.toUpperCase(), inJson, base64, bytes.toString('base64url')];
}
