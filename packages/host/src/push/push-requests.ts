/** Which of Apple's services an app's device tokens belong to. */
export type PushEnvironment = 'sandbox' | 'production';

/** What a device runs. A relay without FCM refuses `android`. */
export type PushPlatform = 'ios' | 'android';

/** An alert and whom it is for. */
export interface PushAlert {
  /** Any number; they are sent in as many requests as it takes. */
  readonly tokens: readonly string[];
  /** 1 to 256 bytes. */
  readonly title: string;
  /** At most 1024 bytes. @default none */
  readonly body?: string | undefined;
  /** The number on the app's icon; an integer from 0. */
  readonly badge?: number | undefined;
  /** At most 64 characters of printable ASCII; a later alert with the same one takes the place of an earlier. */
  readonly collapseId?: string | undefined;
  /** At most 16 entries, 2048 bytes in all; never named `aps`. */
  readonly data?: Readonly<Record<string, string>> | undefined;
}

/** What an item of a Live Activity, or all of it, is doing. */
export type ActivityStatus =
  | 'working'
  | 'tool'
  | 'retry'
  | 'input'
  | 'permission'
  | 'stale'
  | 'complete'
  | 'error';

/** One line of a Live Activity. */
export interface ActivityItem {
  /** 1 to 128 UTF-16 units. */
  readonly sessionID: string;
  /** Cut at 80 UTF-16 units. @default '' */
  readonly title?: string | undefined;
  readonly status: ActivityStatus;
  readonly startedAt: number;
  readonly endedAt?: number | undefined;
}

/** What a Live Activity shows. */
export interface ActivityState {
  readonly status: ActivityStatus;
  /** An integer. */
  readonly eventVersion: number;
  readonly updatedAt: number;
  /** Required to end the activity. */
  readonly endedAt?: number | undefined;
  /** At most 80 UTF-16 units. */
  readonly title?: string | undefined;
  /** An integer from 0. */
  readonly workingCount?: number | undefined;
  /** At most 4. */
  readonly items?: readonly ActivityItem[] | undefined;
}

/** A change of a Live Activity and whom it is for. */
export interface ActivityChange {
  /** Any number; they are sent in as many requests as it takes. */
  readonly tokens: readonly string[];
  /** `end` needs an `endedAt`. */
  readonly event: 'update' | 'end';
  readonly contentState: ActivityState;
  /** When an ended activity leaves the screen, in s since the epoch. */
  readonly dismissalDate?: number | undefined;
  /** When an updated one counts as stale, in s since the epoch. */
  readonly staleDate?: number | undefined;
}
