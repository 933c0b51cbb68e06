/** A value, or a phrase saying what is allowed instead. */
export type Parsed<T> = { readonly value: T } | { readonly expected: string };

/** Turns the text of a flag or variable into a value. */
export type ParseText<T> = (text: string) => Parsed<T>;

/** Accepts any text; for values that the relay library checks itself. */
export const parseAnyText: ParseText<string> = (text) => ({ value: text });

/** Accepts plain decimal integers within bounds: no sign, no leading zero, no exponent, no spaces. */
export function parseIntegerFrom(min: number, max: number): ParseText<number> {
  return (text) => {
    const value = /^(?:0|[1-9][0-9]{0,15})$/.test(text) ? Number(text) : Number.NaN;
    // A comparison with NaN is false, so one check covers bad text and bad size.
    return value >= min && value <= max ? { value } : { expected: `an integer from ${min} to ${max}` };
  };
}

/** Accepts the four spellings of the contract. */
export const parseBoolean: ParseText<boolean> = (text) => {
  switch (text) {
    case 'true':
    case '1':
      return { value: true };
    case 'false':
    case '0':
      return { value: false };
    default:
      return { expected: 'true, 1, false or 0' };
  }
};

/** Accepts one of a few words. */
export function parseOneOf<T extends string>(words: readonly T[]): ParseText<T> {
  return (text) => {
    const value = words.find((word) => word === text);
    return value === undefined ? { expected: `one of ${words.join(', ')}` } : { value };
  };
}
