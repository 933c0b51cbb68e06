import type { KeyObject } from 'node:crypto';
import { LinkedList, type ListNode } from '../collections/linked-list.ts';
import { ownText } from '../collections/own-text.ts';

interface CachedKey {
  readonly id: string;
  readonly key: KeyObject;
}

/**
 * Imported keys of those whose signature has verified, since importing costs as much as verifying. When it is full,
 * the least recently used goes; what counts as use is `keep`, because anybody can ask for a key by naming its id.
 * Every call takes constant time.
 */
export class KeyCache {
  readonly #maxKeys: number;
  readonly #places = new Map<string, ListNode<CachedKey>>();
  /** The least recently used first. */
  readonly #byUse = new LinkedList<CachedKey>();

  /** @param maxKeys most keys kept; at least 1 */
  constructor(maxKeys: number) {
    this.#maxKeys = maxKeys;
  }

  /** Keys held. */
  get size(): number {
    return this.#places.size;
  }

  /** The key kept under an id, a serverId for instance (ASCII). */
  get(id: string): KeyObject | undefined {
    return this.#places.get(id)?.value.key;
  }

  /** Keeps a key that has just verified a signature; it becomes the most recently used. */
  keep(id: string, key: KeyObject): void {
    const place = this.#places.get(id);
    if (place !== undefined) this.#byUse.remove(place);
    const kept = place?.value.key === key ? place.value : { id: ownText(id), key };
    this.#places.set(kept.id, this.#byUse.append(kept));
    if (this.#places.size > this.#maxKeys) this.#dropLeastRecentlyUsed();
  }

  #dropLeastRecentlyUsed(): void {
    const place = this.#byUse.first;
    if (place === undefined) return;
    this.#byUse.remove(place);
    this.#places.delete(place.value.id);
  }
}
