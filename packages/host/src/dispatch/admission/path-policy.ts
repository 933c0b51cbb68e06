import { byteText, decodeFully, decodeOnce } from './percent-decoding.ts';

/** A prefix that requests are let in by: its segments, decoded. None: everything. */
type Prefix = readonly string[];

/** Whether a request may go to the target by its path. */
export type PathPolicy = (path: string) => boolean;

/** A policy, or the prefix that none can be made of. */
export type PathPolicyResult =
  | { readonly isUsable: true; readonly isPathAllowed: PathPolicy }
  | { readonly isUsable: false; readonly fault: string };

/** What must not stand in a path as it is: controls, space, what ends a path, and what browsers take for a slash. */
const NOT_IN_PATHS = /[\0-\x20\x7f#?\\]/;

/** What must not even stand there encoded: controls, which parsers cut off or skip. */
const NOT_IN_DECODED_PATHS = /[^\x20-\x7e\x80-\xff]/;

/** Encodings of a dot or a slash that are not UTF-8 (RFC 3629 section 3), but that lenient decoders take for it. */
const OVERLONG = /[\xc0\xc1]|\xe0[\x80-\x9f]|\xf0[\x80-\x8f]/;

/** The escapes of JavaScript's `unescape` and of old servers. */
const UNICODE_ESCAPE = /%u[0-9a-f]{4}/i;

/**
 * A segment that some parser takes for `.` or `..`: with the spaces that URL parsers and Windows take off, with the
 * parameters that Java servers take off, or cut short by what ends a path. Windows knows more dots than two.
 */
const DOTS = /^ *\.[. ]*(?:$|[;?#])/;

/**
 * Makes a policy of path prefixes that count by whole segments; a slash at their end means nothing.
 *
 * A path is looked at in every form that a target could give it: what would climb out of a prefix in any of them is not
 * let in, whichever prefixes there are.
 */
export function createPathPolicy(allowPaths: readonly string[]): PathPolicyResult {
  const prefixes: Prefix[] = [];
  for (const allowed of allowPaths) {
    const prefix = parsePrefix(allowed);
    if (prefix === undefined) {
      return { isUsable: false, fault: allowed };
    }
    prefixes.push(prefix);
  }
  return { isUsable: true, isPathAllowed: (path) => isUnambiguous(path) && isBelowOne(path, prefixes) };
}

function parsePrefix(allowed: string): Prefix | undefined {
  // A prefix may be written as people write it: with spaces and letters of any script.
  const segments = splitDecoded(allowed.replaceAll(' ', '%20').replace(/\/$/, ''));
  const isPlain = segments.every(
    (segment) => segment !== '' && !/[/\\?#]/.test(segment) && decodeOnce(segment) === segment,
  );
  return isPlain && isUnambiguous(allowed.replaceAll(' ', '%20')) ? segments : undefined;
}

/** Whether all parsers agree on which segments a path has, as far as it matters here. */
function isUnambiguous(path: string): boolean {
  if (!path.startsWith('/') || NOT_IN_PATHS.test(path)) {
    return false;
  }
  // No step of decoding takes a dot or a slash away, so one that shows at any layer shows at the last one.
  const decoded = decodeFully(byteText(path));
  return (
    decoded !== undefined &&
    !NOT_IN_DECODED_PATHS.test(decoded) &&
    !OVERLONG.test(decoded) &&
    !UNICODE_ESCAPE.test(decoded) &&
    !decoded.split(/[/\\]/).some((segment) => DOTS.test(segment))
  );
}

function isBelowOne(path: string, prefixes: readonly Prefix[]): boolean {
  const segments = splitDecoded(path);
  return prefixes.some((prefix) => prefix.every((segment, index) => segments[index] === segment));
}

/**
 * The segments of a path, each decoded once. They are told apart before that, so an encoded slash makes no segment; and a
 * prefix's segments hold no escape, so what is equal to one after one layer is so after every other.
 */
function splitDecoded(path: string): readonly string[] {
  return byteText(path).split('/').slice(1).map(decodeOnce);
}
