import type { PushOutcome } from '../provider/push-outcome.ts';
import type { Notification } from '../provider/push-provider.ts';
import type { Answer } from './answer.ts';

/** One push as it goes over the wire. */
export interface OutgoingRequest {
  /** A flat array of names and values, which node:http2 passes on as it is. */
  readonly headers: readonly string[];
  readonly body: Buffer;
}

/**
 * What an answer means. `credential` is what it says of the bearer it was asked with: `stale` when a new one may turn
 * the refusal into an acceptance, `hold` when the service has seen too many of them.
 */
export interface Reading {
  readonly outcome: PushOutcome;
  readonly credential: 'good' | 'stale' | 'hold';
}

/** How one service is asked, what its answers mean, and how it is called: all that a gateway does not know by itself. */
export interface Dialect {
  /** `APNs`. */
  readonly name: string;
  /** The service as log lines call it: `APNs (sandbox)`. */
  readonly title: string;
  /** The same as fields of log lines. */
  readonly fields: Readonly<Record<string, string>>;
  /** No answer of the service is longer. */
  readonly maxAnswerBytes: number;
  /** @param bearer value of `authorization`. */
  request(notification: Notification, bearer: string): OutgoingRequest;
  /** Called once for every answer; `epochMs` is wall-clock time now. */
  read(answer: Answer, epochMs: number): Reading;
  /** The reason in the debug data of a GOAWAY, as one word; undefined when there is none. */
  goAwayReason(data: Buffer): string | undefined;
  /** What an operator should look at, in words, after a configuration fault for `reason`. */
  checkFor(reason: string): string;
}
