import type { LogLevel } from '../config/settings.ts';

/** The levels that a library logs with. */
export type LoggedLevel = 'debug' | 'info' | 'warn' | 'error';

/** The body of a request, or why there is none. */
export type Body = Uint8Array | 'too-large' | 'aborted';

/** What the relay's thread tells the worker. `id` names a request; it is not used twice in the life of a worker. */
export type ToWorker =
  | {
      readonly type: 'request';
      readonly id: number;
      readonly method: string;
      /** The request target as sent. */
      readonly target: string;
      readonly peerAddress: string | undefined;
      readonly forwardedFor: string | string[] | undefined;
    }
  /** The answer to `body-wanted`. */
  | { readonly type: 'body'; readonly id: number; readonly body: Body }
  /** Nobody waits for the answer any more. */
  | { readonly type: 'gone'; readonly id: number }
  /** Asks for `pong`, as a sign of life. */
  | { readonly type: 'ping' }
  /** Finish what is under way, refuse the rest, close the database, say `closed`. */
  | { readonly type: 'close' };

/** What the worker tells the relay's thread. */
export type FromWorker =
  | { readonly type: 'ready' }
  /** The first and last word of a worker that cannot serve. */
  | { readonly type: 'failed'; readonly reason: string }
  /** At most once for each request. */
  | { readonly type: 'body-wanted'; readonly id: number; readonly maxBytes: number }
  /** The last word on a request is its answer, or that it was `forgotten` because of `gone`. */
  | ({ readonly type: 'answer'; readonly id: number } & Answer)
  | { readonly type: 'forgotten'; readonly id: number }
  | {
      readonly type: 'log';
      readonly level: LoggedLevel;
      readonly fields: Record<string, unknown>;
      readonly message: string;
    }
  | { readonly type: 'pong' }
  | { readonly type: 'closed' };

/** What a worker says about requests. */
export type RequestMessage = Extract<FromWorker, { readonly id: number }>;

/** An HTTP answer, ready to be written. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What the worker is started with. */
export interface WorkerStart<Options> {
  readonly options: Options;
  /** Less severe lines are not sent. */
  readonly logLevel: LogLevel;
  /** The most its JavaScript heap may take, in MB; a worker that needs more ends alone. @default 256 */
  readonly heapMb?: number;
}
