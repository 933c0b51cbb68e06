/** One line of requests to the origin, one at a time. */
export interface Session {
  /** Rejects unless all bytes came, unchanged. */
  download(bytes: number): Promise<void>;
  /** Rejects unless the origin counted as many. */
  upload(bytes: number): Promise<void>;
  small(): Promise<void>;
  /** Gives the time from the end of the answer at the origin to its end here, in ms. */
  drops(): Promise<number>;
}

/** A way to the origin: gives as many sessions as wanted, the same ones each time. */
export interface Path {
  sessions(count: number): Promise<readonly Session[]>;
}
