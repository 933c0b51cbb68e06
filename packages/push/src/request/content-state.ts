import * as v from 'valibot';

/** Lengths count UTF-16 units here, as the apps count them. */
const MAX_TITLE_UNITS = 80;
const MAX_SESSION_ID_UNITS = 128;
const MAX_ITEMS = 4;

const STATUS = v.picklist(['working', 'tool', 'retry', 'input', 'permission', 'stale', 'complete', 'error']);
// JSON can say 1e999, which no JSON can repeat.
const NUMBER = v.pipe(v.number(), v.finite());
const COUNT = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const SESSION_ID = v.pipe(v.string(), v.minLength(1), v.maxLength(MAX_SESSION_ID_UNITS));

const ITEM_DETAILS = {
  title: v.exactOptional(
    v.pipe(
      v.string(),
      v.transform((title) => title.slice(0, MAX_TITLE_UNITS)),
    ),
    '',
  ),
  status: STATUS,
  startedAt: NUMBER,
  endedAt: v.exactOptional(NUMBER),
};

const ITEM = v.pipe(
  v.object({
    // Both spellings of the id are in the field; the result has one.
    sessionID: v.exactOptional(SESSION_ID),
    sessionId: v.exactOptional(SESSION_ID),
    ...ITEM_DETAILS,
  }),
  v.check(({ sessionID, sessionId }) => (sessionID ?? sessionId) !== undefined, 'an id'),
  // The order of the members is part of what is signed.
  v.transform(({ sessionID, sessionId, title, status, startedAt, endedAt }) => ({
    sessionID: sessionID ?? sessionId ?? '',
    title,
    status,
    startedAt,
    ...(endedAt === undefined ? {} : { endedAt }),
  })),
);

/** `contentState`: what a Live Activity shows. Members that are not listed are refused; those of items are dropped. */
export const CONTENT_STATE = v.strictObject({
  status: STATUS,
  eventVersion: v.pipe(v.number(), v.safeInteger()),
  updatedAt: NUMBER,
  endedAt: v.exactOptional(NUMBER),
  title: v.exactOptional(v.pipe(v.string(), v.maxLength(MAX_TITLE_UNITS))),
  workingCount: v.exactOptional(COUNT),
  items: v.exactOptional(v.pipe(v.array(ITEM), v.maxLength(MAX_ITEMS))),
});

/** What a Live Activity shows, validated. */
export type ContentState = v.InferOutput<typeof CONTENT_STATE>;

/** The part of the signed text that stands for the state; what is absent is empty. */
export function signedContentState(state: ContentState): { readonly head: string; readonly tail: string } {
  const { status, eventVersion, updatedAt, endedAt, title, workingCount, items } = state;
  const head = `${status}.${eventVersion}.${updatedAt}.${endedAt ?? ''}`;
  // Older servers know nothing of these three, and sign nothing for them.
  const isExtended = title !== undefined || workingCount !== undefined || items !== undefined;
  const tail = isExtended ? `.${title ?? ''}.${workingCount ?? ''}.${JSON.stringify(items ?? [])}` : '';
  return { head, tail };
}
