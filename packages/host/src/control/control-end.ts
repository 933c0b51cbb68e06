import { CLOSE_CODE } from '@openchambery/protocol';
import type { TransportEnd } from '@openchambery/tunnel';
import type { Loss } from './backoff.ts';

/** How a control connection ended, or why none came about. */
export type ControlEnd =
  /** No WebSocket; `reason` is for people. */
  | { readonly kind: 'unreachable'; readonly reason: string }
  /** It fell silent, or never said what it must say first. */
  | { readonly kind: 'dead'; readonly reason: string }
  | ({ readonly kind: 'closed' } & TransportEnd);

/** What an end means for the next try. */
export type ControlVerdict =
  | { readonly loss: Extract<Loss, 'lost'>; readonly reason: string }
  | { readonly loss: Extract<Loss, 'refused'>; readonly code: number; readonly reason: string };

/** The codes with which a relay says no, and what they mean to a person where the relay gives no reason. */
const REFUSALS: ReadonlyMap<number, string> = new Map<number, string>([
  [CLOSE_CODE.malformed, 'the relay does not take this request; check the path of the relay URL'],
  [CLOSE_CODE.replaced, 'another Host with the same identity took over; is it running twice?'],
  [CLOSE_CODE.duplicate, 'the relay does not expect this connection'],
  [CLOSE_CODE.unavailable, 'the relay does not know this Host'],
  [CLOSE_CODE.auth, 'the relay does not accept the signature; is the clock of this machine right?'],
  [CLOSE_CODE.limit, 'a limit of the relay was reached'],
]);

/** The codes by which a connection goes away and may come back at once. */
const LOSSES: ReadonlyMap<number, string> = new Map<number, string>([
  [CLOSE_CODE.normal, 'the relay closed the connection'],
  [CLOSE_CODE.away, 'the relay went away'],
  [CLOSE_CODE.tryLater, 'the relay is full at the moment'],
  [CLOSE_CODE.stuck, 'the relay saw no sign of life from this Host'],
  [1006, 'the connection to the relay broke'],
]);

/** Longest reason of a relay that is passed on, in UTF-16 units; a close frame holds no more bytes. */
const MAX_REASON_CHARS = 123;

/** Says whether an end was a refusal, and why, in words for people: the relay's own where it gave some. */
export function judgeControlEnd(end: ControlEnd): ControlVerdict {
  if (end.kind !== 'closed') return { loss: 'lost', reason: end.reason };
  const said = printable(end.reason);
  const refusal = REFUSALS.get(end.code);
  if (refusal !== undefined) return { loss: 'refused', code: end.code, reason: said === '' ? refusal : said };
  const meaning = LOSSES.get(end.code) ?? `the relay closed the connection with ${end.code}`;
  return { loss: 'lost', reason: said === '' ? meaning : `${meaning}: ${said}` };
}

/** Words of a stranger go to terminals and logs: without control characters, and bounded. */
export function printable(text: string): string {
  return text.slice(0, MAX_REASON_CHARS).replaceAll(/\p{C}/gu, ' ').trim();
}
