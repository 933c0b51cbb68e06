/** As much of a browser's `window` and `document` as is listened to. */
interface Watched {
  addEventListener(type: string, listener: () => void): void;
  removeEventListener(type: string, listener: () => void): void;
}

/** Where a page hears of its network. */
export interface NetworkSurroundings {
  readonly window?: Watched | undefined;
  readonly document?: (Watched & { readonly visibilityState: string }) | undefined;
}

/**
 * Calls `onChange` when the network came back, or when the page did: a phone that was asleep has lost its connections
 * without hearing of it. Does nothing outside of browsers. @returns what stops it.
 */
export function watchNetwork(
  onChange: () => void,
  { window, document }: NetworkSurroundings = globalThis as NetworkSurroundings,
): () => void {
  const onVisibility = (): void => {
    if (document?.visibilityState === 'visible') onChange();
  };
  window?.addEventListener('online', onChange);
  document?.addEventListener('visibilitychange', onVisibility);
  return () => {
    window?.removeEventListener('online', onChange);
    document?.removeEventListener('visibilitychange', onVisibility);
  };
}
