import { findDifference, findWrongMessage } from './oracle.ts';
import type { Said } from './oracle.ts';
import type { PeerReport } from './peer.ts';
import { stopsForEver } from './plan.ts';
import type { CasePlan } from './plan.ts';
import type { FuzzRelay } from './relay.ts';

/** A case that is over. */
export interface Outcome {
  readonly plan: CasePlan;
  readonly relay: FuzzRelay;
  readonly reports: readonly [PeerReport, PeerReport];
  readonly said: readonly [Said, Said];
  /** Whether time had to pass. */
  readonly wasGivenTime: boolean;
}

type Side = 0 | 1;

const NAMES = ['the first side', 'the second side'] as const;

/** Everything that is wrong with how a case came out. */
export function judge(outcome: Outcome): string[] {
  const faults = [...outcome.relay.leftovers()];
  for (const side of [0, 1] as const) {
    const note = (what: string): void => void faults.push(`${NAMES[side]}: ${what}`);
    judgeCounts(outcome, side, note);
    judgeMessages(outcome, side, note);
    judgePongs(outcome, side, note);
    judgeClose(outcome, side, note);
    const { complaint } = outcome.reports[side];
    if (complaint !== undefined) note(complaint);
  }
  judgeFirstEnd(outcome, (what) => void faults.push(what));
  return faults;
}

type Note = (what: string) => void;

function judgeCounts({ relay }: Outcome, side: Side, note: Note): void {
  if (relay.goneCounts[side] !== 1) note(`gone ${relay.goneCounts[side]} times`);
  if (relay.endCounts[side] > 1) note(`ended ${relay.endCounts[side]} times`);
}

/** Whether a side may have missed something of what was sent to it by its own doing. */
function mayMiss({ plan, said, wasGivenTime }: Outcome, side: Side): boolean {
  return wasGivenTime || said[side].left === 'destroy' || stopsForEver(plan.sides[side]);
}

/** Whether everything that the other side had said is due to this one. */
function isAllDue(outcome: Outcome, side: Side): boolean {
  const { relay, said } = outcome;
  const other = side === 0 ? 1 : 0;
  if (mayMiss(outcome, side) || said[other].left === 'destroy') return false;
  const { firstEnd } = relay;
  if (firstEnd?.kind === 'relay') return firstEnd.why === 'idle';
  return firstEnd?.kind === 'peer' && firstEnd.side === other;
}

function judgeMessages(outcome: Outcome, side: Side, note: Note): void {
  const other = side === 0 ? 1 : 0;
  const due = outcome.relay.isSpliced ? outcome.said[other].messages : [];
  const { messages } = outcome.reports[side];
  const isAll = isAllDue(outcome, side);
  const difference = isAll ? findDifference(messages, due) : findWrongMessage(messages, due);
  if (difference !== undefined) note(`got ${difference}`);
}

/** Pongs answer pings in order; one may answer several, but the last ping of a quiet peer has its own. */
function judgePongs(outcome: Outcome, side: Side, note: Note): void {
  const { pongs } = outcome.reports[side];
  const { pings } = outcome.said[side];
  let at = 0;
  for (const pong of pongs) {
    at = pings.indexOf(pong, at) + 1;
    if (at === 0) return note(`a pong that answers no ping: ${JSON.stringify(pong)}`);
  }
  const { firstEnd } = outcome.relay;
  const isQuiet = firstEnd?.kind === 'relay' && firstEnd.why === 'idle' && !mayMiss(outcome, side);
  if (isQuiet && pings.length > 0 && pongs.at(-1) !== pings.at(-1)) note('the last ping has no pong');
}

/** The code each side has to be closed with. */
function judgeClose(outcome: Outcome, side: Side, note: Note): void {
  if (mayMiss(outcome, side)) return;
  const expected = expectedCode(outcome, side);
  const { code } = outcome.reports[side].close;
  if (code !== expected) note(`closed with ${code}, not ${expected}`);
}

function expectedCode({ relay }: Outcome, side: Side): number {
  const { firstEnd } = relay;
  if (firstEnd?.kind !== 'peer') return 1012;
  const { cause } = firstEnd;
  if (firstEnd.side === side) return cause.kind === 'lost' ? 1006 : cause.code;
  return cause.kind === 'closed' && relay.isSpliced ? 1000 : 1012;
}

/** Whether the relay saw what its peer did. */
function judgeFirstEnd({ plan, relay, said, wasGivenTime }: Outcome, note: Note): void {
  const { firstEnd } = relay;
  if (firstEnd === undefined) return note('no end was seen');
  if (firstEnd.kind === 'stall') {
    if (!stopsForEver(plan.sides[firstEnd.side])) note(`${NAMES[firstEnd.side]} was taken for stalled`);
  } else if (firstEnd.kind === 'relay') {
    if (firstEnd.why !== 'idle' || wasGivenTime) return;
    for (const side of [0, 1] as const) {
      const { ending, left } = said[side];
      if (ending.kind !== 'open' || left !== 'no')
        note(`${NAMES[side]} has ended, and it was not seen: ${ending.kind}`);
    }
  } else {
    const { side, cause } = firstEnd;
    const { ending, left } = said[side];
    if (left === 'destroy' && cause.kind === 'lost') return;
    const seen = cause.kind === 'lost' ? 'open' : `${cause.kind} ${cause.code}`;
    const due = ending.kind === 'open' ? 'open' : `${ending.kind} ${ending.code}`;
    if (seen !== due) note(`${NAMES[side]} was seen to end with ${seen}, not ${due}`);
    if (cause.kind === 'closed' && ending.kind === 'closed' && cause.reason !== ending.reason) {
      note(`${NAMES[side]} closed with another reason: ${JSON.stringify(cause.reason)}`);
    }
    if (cause.kind === 'lost' && left === 'no') note(`${NAMES[side]} was lost, but has not left`);
  }
}
