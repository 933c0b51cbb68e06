import { parsePairingLink, type PairingFacts } from '@openchambery/tunnel';

/** What a pairing link says, or what is wrong with it. */
export type ReadLink =
  | { readonly isValid: true; readonly pairing: PairingFacts }
  | { readonly isValid: false; readonly problem: string };

/** Reads a pasted link, also one that a terminal has broken into lines. */
export function readPairingLink(text: string): ReadLink {
  const link = text.replaceAll(/\s+/gu, '');
  if (link === '') return { isValid: false, problem: 'Paste a pairing link first.' };
  const parsed = parsePairingLink(link);
  return 'fault' in parsed ? { isValid: false, problem: parsed.message } : { isValid: true, pairing: parsed };
}

/**
 * The link this page was opened with. Takes it out of the address bar, so that the secret is neither in the history of
 * the tab nor in a screenshot. What else a browser remembers of addresses is out of a page's reach: on a machine of
 * somebody else's, a link is better pasted than opened.
 */
export function takeLinkFromAddress(): string | undefined {
  if (location.hash.length < 2) return undefined;
  const { href } = location;
  history.replaceState(null, '', `${location.pathname}${location.search}`);
  return href;
}
