/** An answer with a status. */
export interface Answer {
  /** 200 accepts; everything else is sent with a JSON body. */
  readonly status: number;
  /** Goes into the JSON body as `reason`. */
  readonly reason?: string;
  /** Goes into the JSON body as `timestamp`, UNIX ms: since when a token is dead. */
  readonly timestampMs?: number;
  /** The `retry-after` header: seconds or an HTTP date. */
  readonly retryAfter?: number | string;
  /** @default 0 */
  readonly delayMs?: number;
  /** Added to the response, or put in place of its own. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as it is in place of the JSON body. */
  readonly body?: string | Uint8Array;
}

/** Something that goes wrong below HTTP. */
export type Fault = { readonly delayMs?: number } & (
  | {
      /** RST_STREAM with an error code of RFC 9113 §7 (7 is REFUSED_STREAM). */
      readonly fault: 'rst-stream';
      readonly code: number;
    }
  | { readonly fault: 'tcp-reset' }
  | {
      /** The TCP connection is closed in order, without a word from TLS or HTTP/2. */
      readonly fault: 'tcp-fin';
    }
  | {
      /** From now on nothing of this connection is read or answered, PINGs included. */
      readonly fault: 'black-hole';
    }
  | {
      /** This stream is never answered; the connection lives. */
      readonly fault: 'silence';
    }
  | {
      readonly fault: 'goaway';
      /** Error code of RFC 9113 §7. @default 0 */
      readonly code?: number;
      /**
       * `below` leaves this stream out of what was processed, `at` counts it in. Node cannot write the 0 that would
       * be below the first stream of a connection: there `below` with code 0 names the stream and refuses it by
       * RST_STREAM as well, with any other code it is `at`.
       * @default 'at'
       */
      readonly lastStream?: 'at' | 'below';
      /** Goes along as JSON `{"reason"}`. @default 'Shutdown' */
      readonly reason?: string;
      /** How the stream is answered after `at` with code 0. @default { status: 200 } */
      readonly answer?: Answer;
    }
);

/** Waits for the test, then answers. Made by `hold()`. */
export interface Held {
  /** Streams that wait. */
  readonly waiting: number;
  /** Lets everything that waits go on, and at once whatever comes later. */
  release(reaction?: Answer | Fault): void;
  /** @internal Runs `go` after the release. */
  pass(go: (reaction: Answer | Fault) => void): void;
}

/** What the fake does with a request that passed its checks. */
export type Reaction = Answer | Fault | Held;

/** What accepts a push. */
export const ACCEPTED: Answer = { status: 200 };

/** A reaction that keeps requests waiting until `release`, which answers with 200 unless told otherwise. */
export function hold(): Held {
  const queue: ((reaction: Answer | Fault) => void)[] = [];
  let released: Answer | Fault | undefined;
  return {
    get waiting() {
      return queue.length;
    },
    release(reaction = ACCEPTED) {
      released = reaction;
      for (const go of queue.splice(0)) go(reaction);
    },
    pass(go) {
      if (released === undefined) queue.push(go);
      else go(released);
    },
  };
}
