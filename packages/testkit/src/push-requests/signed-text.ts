/** What a send asks for, as it goes over the wire (push API §3). */
export interface SendFields {
  readonly tokens: readonly string[];
  readonly title: string;
  readonly body?: string;
  readonly badge?: number;
  readonly collapseId?: string;
  readonly env?: 'production' | 'sandbox';
  readonly data?: Readonly<Record<string, string>>;
}

/** One line of a Live Activity (push API §4). */
export interface ActivityItem {
  readonly sessionID?: string;
  /** The other spelling of `sessionID`. */
  readonly sessionId?: string;
  readonly title?: string;
  readonly status: string;
  readonly startedAt: number;
  readonly endedAt?: number;
}

/** The state of a Live Activity (push API §4). */
export interface ContentState {
  readonly status: string;
  readonly eventVersion: number;
  readonly updatedAt: number;
  readonly endedAt?: number;
  readonly title?: string;
  readonly workingCount?: number;
  readonly items?: readonly ActivityItem[];
}

/** What a Live Activity push asks for, as it goes over the wire (push API §4). */
export interface ActivityFields {
  readonly tokens: readonly string[];
  readonly event: string;
  readonly contentState: ContentState;
  /** UNIX s. */
  readonly dismissalDate?: number;
  /** UNIX s. */
  readonly staleDate?: number;
  readonly env?: 'production' | 'sandbox';
}

const MAX_ITEM_TITLE_UNITS = 80;

/** The signed text of a send. */
export function sendText(ts: number, { tokens, title }: SendFields): string {
  return `${ts}.${sorted(tokens)}.${title}`;
}

/** The signed text of a Live Activity push; the longer form only when title, workingCount or items is present. */
export function activityText(ts: number, fields: ActivityFields): string {
  const { tokens, event, contentState, dismissalDate = '', staleDate = '' } = fields;
  const { status, eventVersion, updatedAt, endedAt = '', title, workingCount, items } = contentState;
  const text = [
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
  if (title !== undefined || workingCount !== undefined || items !== undefined) {
    text.push(
      title ?? '',
      workingCount ?? '',
      JSON.stringify((items ?? []).map((item) => validatedItem(item))),
    );
  }
  return text.join('.');
}

/** An item as the push relay passes it on: known members in the order of the contract, the title cut. */
export function validatedItem(item: ActivityItem): ActivityItem {
  const { sessionID = item.sessionId ?? '', title = '', status, startedAt, endedAt } = item;
  const cut = title.slice(0, MAX_ITEM_TITLE_UNITS);
  return { sessionID, title: cut, status, startedAt, ...(endedAt === undefined ? {} : { endedAt }) };
}

function sorted(tokens: readonly string[]): string {
  // By code unit, which is what `sort` does on its own.
  return [...tokens].sort().join(',');
}
