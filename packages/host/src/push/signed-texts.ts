import type { ActivityChange, ActivityItem, ActivityState } from './push-requests.ts';

/** Longer titles of items are cut by the relay, in UTF-16 units. */
const MAX_ITEM_TITLE_UNITS = 80;

/** What is signed to send an alert. */
export function sendText(ts: number, tokens: readonly string[], title: string): string {
  return `${ts}.${sorted(tokens)}.${title}`;
}

/** What is signed to change a Live Activity whose state {@link canonicalState} gave. */
export function activityText(ts: number, change: ActivityChange): string {
  const { tokens, event, contentState, dismissalDate, staleDate } = change;
  const { status, eventVersion, updatedAt, endedAt, title, workingCount, items } = contentState;
  const head = [
    ts,
    sorted(tokens),
    event,
    status,
    eventVersion,
    updatedAt,
    endedAt,
    dismissalDate,
    staleDate,
  ];
  // Where none of these three is given, older Hosts sign nothing for them.
  const hasMore = title !== undefined || workingCount !== undefined || items !== undefined;
  const tail = hasMore ? [title, workingCount, JSON.stringify(items ?? [])] : [];
  return [...head, ...tail].map((part) => part ?? '').join('.');
}

/** A state as the relay signs it: nothing that is undefined, items with their members in the order of the contract. */
export function canonicalState(state: ActivityState): ActivityState {
  const { status, eventVersion, updatedAt, endedAt, title, workingCount, items } = state;
  return withoutUndefined({
    status,
    eventVersion,
    updatedAt,
    endedAt,
    title,
    workingCount,
    items: items?.map((item) => canonicalItem(item)),
  });
}

function canonicalItem({ sessionID, title = '', status, startedAt, endedAt }: ActivityItem): ActivityItem {
  return withoutUndefined({
    sessionID,
    title: title.slice(0, MAX_ITEM_TITLE_UNITS),
    status,
    startedAt,
    endedAt,
  });
}

function withoutUndefined<T extends object>(members: T): T {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as T;
}

/** By code unit, duplicates included. */
function sorted(tokens: readonly string[]): string {
  return tokens.toSorted().join(',');
}
