/** What may stand in `onmessage` and its like. */
export type Handler = ((this: WebSocket, event: never) => unknown) | null;

/**
 * The event handler attributes of an EventTarget (HTML, section 8.1.8.1): a handler keeps the place among the listeners
 * that the first one set in its attribute took.
 */
export class EventHandlers {
  readonly #target: EventTarget;
  readonly #handlers = new Map<string, Exclude<Handler, null>>();
  readonly #listened = new Set<string>();

  constructor(target: EventTarget) {
    this.#target = target;
  }

  get(type: string): Handler {
    return this.#handlers.get(type) ?? null;
  }

  /** Anything but a function takes the handler away. */
  set(type: string, handler: unknown): void {
    if (typeof handler !== 'function') {
      this.#handlers.delete(type);
      return;
    }
    this.#handlers.set(type, handler as Exclude<Handler, null>);
    if (this.#listened.has(type)) return;
    this.#listened.add(type);
    this.#target.addEventListener(type, (event) => {
      this.#handlers.get(type)?.call(this.#target as unknown as WebSocket, event as never);
    });
  }
}
