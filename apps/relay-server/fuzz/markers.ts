import type { MarkerIndex } from './marker-index.ts';
import type { Random } from './random.ts';

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const CHARACTERS = `${LETTERS}0123456789`;
/** What surrounds a marker: JSON has to escape some of it, and some is no ASCII. */
const COATS = [
  '',
  '',
  '',
  '"',
  '\\',
  '\n',
  '\u0000',
  '\u2028',
  'é',
  '😀',
  '\ud800',
  '</script>',
  '%s',
  '\u202e',
];
const WORD_CHARACTERS = 16;

/** Makes what must not come out again, and has it looked for. */
export class Markers {
  readonly #index: MarkerIndex;
  readonly #random: Random;
  readonly #owner: number;

  /** `owner` is the seed of the case. */
  constructor(index: MarkerIndex, random: Random, owner: number) {
    this.#index = index;
    this.#random = random;
    this.#owner = owner;
  }

  /** Letters and digits, 16 of them. The second is a digit: no word of Apple's, which a log may name, has one. */
  word(): string {
    const random = this.#random;
    let word = `${LETTERS[random.next() % LETTERS.length]}${random.integer(0, 9)}`;
    while (word.length < WORD_CHARACTERS) word += CHARACTERS[random.next() % CHARACTERS.length];
    return this.known(word);
  }

  /** A word in a coat that gets in the way of quoting it; at most 40 bytes of UTF-8, and at most 36 UTF-16 units. */
  text(): string {
    const random = this.#random;
    return `${random.pick(COATS)}${this.word()}${random.pick(COATS)}`;
  }

  /** Hexadecimal of either case: a device token, for instance. @param bytes half its length */
  hex(bytes: number): string {
    const random = this.#random.bytes(bytes);
    this.#addBase64(random);
    const text = random.toString('hex');
    return this.known(this.#random.chance(0.2) ? text.toUpperCase() : text);
  }

  /** A registration token of FCM; its part behind the colon is found as well as the whole. */
  fcmToken(): string {
    return this.known(`${this.word()}:APA91b${this.base64url(this.#random.integer(40, 120))}`);
  }

  /** Base64url of random bytes: like a signature, like a coordinate. */
  base64url(bytes: number): string {
    return this.known(this.#random.bytes(bytes).toString('base64url'));
  }

  /** Has something looked for that was made elsewhere, in all its spellings. */
  known(text: string): string {
    this.#index.add(text, this.#owner);
    const bytes = Buffer.from(text);
    this.#index.addWindow(bytes.toString('hex'), this.#owner);
    this.#addBase64(bytes);
    return text;
  }

  /** Within a longer base64 a text begins at one of three places. */
  #addBase64(bytes: Buffer): void {
    for (let skipped = 0; skipped < 3; skipped++) {
      this.#index.addWindow(bytes.toString('base64', skipped, skipped + 9), this.#owner);
    }
  }
}
