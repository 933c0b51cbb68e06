/** A promise and the means to settle it. */
export interface Deferred<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
  readonly reject: (reason: unknown) => void;
}

/** Makes a promise whose rejection does not count as unhandled: whoever is interested looks at it. */
export function createDeferred<T>(): Deferred<T> {
  const deferred = Promise.withResolvers<T>();
  deferred.promise.catch(() => {
    // Whoever asked may have gone; the stream's `signal` says the same.
  });
  return deferred;
}
