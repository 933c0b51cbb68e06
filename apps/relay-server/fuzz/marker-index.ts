/** So many characters in a row are a leak: fewer appear by chance, or are meant to (the 8 of a server's id). */
export const WINDOW = 12;

const FIRST_BASE = 0x01000193;
const SECOND_BASE = 0x5bd1e995;
const FIRST_CAPACITY = 1 << 16;
const MAX_LOAD = 0.6;

/** One window of a marker that was found, and the seed of the case that had sent it. */
export interface Found {
  readonly owner: number;
  /** Where the window begins. */
  readonly at: number;
}

/**
 * Finds any of millions of markers in a text in one pass. It holds a hash of 64 bits for each window of each marker,
 * which makes a false alarm less likely than a cosmic ray. Letter case does not count, nor does which base64 it is.
 */
export class MarkerIndex {
  #firsts = new Uint32Array(FIRST_CAPACITY);
  #seconds = new Uint32Array(FIRST_CAPACITY);
  #owners = new Uint32Array(FIRST_CAPACITY);
  #size = 0;

  /** Windows held. */
  get size(): number {
    return this.#size;
  }

  /** Holds windows that follow each other and the last one, so that 23 characters from anywhere are found. */
  add(text: string, owner: number): void {
    for (let at = 0; at + WINDOW < text.length; at += WINDOW) this.addWindow(text.slice(at), owner);
    if (text.length >= WINDOW) this.addWindow(text.slice(-WINDOW), owner);
  }

  /** Holds the first window of a text alone. */
  addWindow(text: string, owner: number): void {
    if (text.length < WINDOW) return;
    const rolling = new Rolling();
    for (let at = 0; at < WINDOW; at++) rolling.push(folded(text, at), 0);
    this.#insert(rolling.first, rolling.second, owner);
  }

  /** The first marker of which `text` holds a window. */
  find(text: string): Found | undefined {
    const rolling = new Rolling();
    for (let end = 0; end < text.length; end++) {
      rolling.push(folded(text, end), end < WINDOW ? 0 : folded(text, end - WINDOW));
      if (end < WINDOW - 1) continue;
      const slot = this.#slotOf(rolling.first, rolling.second);
      if (this.#firsts[slot] !== 0) return { owner: this.#owners[slot] ?? 0, at: end - WINDOW + 1 };
    }
    return undefined;
  }

  #insert(first: number, second: number, owner: number): void {
    if (this.#size >= this.#firsts.length * MAX_LOAD) this.#grow();
    const slot = this.#slotOf(first, second);
    // The latest owner is the likeliest: fixtures come back.
    this.#owners[slot] = owner;
    if (this.#firsts[slot] !== 0) return;
    this.#firsts[slot] = nonZero(first);
    this.#seconds[slot] = second;
    this.#size += 1;
  }

  #slotOf(first: number, second: number): number {
    const mask = this.#firsts.length - 1;
    const wanted = nonZero(first);
    let slot = (Math.imul(first ^ (second >>> 15), 0x2c1b3c6d) >>> 7) & mask;
    while (this.#firsts[slot] !== 0 && (this.#firsts[slot] !== wanted || this.#seconds[slot] !== second)) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  #grow(): void {
    const [firsts, seconds, owners] = [this.#firsts, this.#seconds, this.#owners];
    const capacity = firsts.length * 2;
    this.#firsts = new Uint32Array(capacity);
    this.#seconds = new Uint32Array(capacity);
    this.#owners = new Uint32Array(capacity);
    this.#size = 0;
    for (let slot = 0; slot < firsts.length; slot++) {
      if (firsts[slot] !== 0) this.#insert(firsts[slot] ?? 0, seconds[slot] ?? 0, owners[slot] ?? 0);
    }
  }
}

/** Two polynomial hashes of the latest characters. */
class Rolling {
  static readonly #firstOut = power(FIRST_BASE, WINDOW);
  static readonly #secondOut = power(SECOND_BASE, WINDOW);
  first = 0;
  second = 0;

  /** Takes a character in, and the one out that came {@link WINDOW} before it. */
  push(into: number, out: number): void {
    this.first = (Math.imul(this.first, FIRST_BASE) + into - Math.imul(out, Rolling.#firstOut)) >>> 0;
    this.second = (Math.imul(this.second, SECOND_BASE) + into - Math.imul(out, Rolling.#secondOut)) >>> 0;
  }
}

function power(base: number, exponent: number): number {
  let result = 1;
  for (let i = 0; i < exponent; i++) result = Math.imul(result, base);
  return result;
}

/** 0 marks an empty slot. */
function nonZero(hash: number): number {
  return hash === 0 ? 1 : hash;
}

/** ASCII letters in lower case, base64url as base64, spread over 32 bits. */
const FOLDED = Uint32Array.from({ length: 128 }, (_, code) => {
  const text = String.fromCharCode(code).toLowerCase();
  return spread(text === '-' ? 43 : text === '_' ? 47 : text.charCodeAt(0));
});

function folded(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return FOLDED[code] ?? spread(code);
}

/** The hash has no other mixing. */
function spread(code: number): number {
  return Math.imul(code + 1, 0x9e3779b1) >>> 0;
}
