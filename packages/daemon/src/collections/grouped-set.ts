/** Values in groups; a group exists while it has members, so that strangers' keys leave nothing behind. */
export class GroupedSet<Key, Value> {
  readonly #groups = new Map<Key, Set<Value>>();

  /** Members of one group. */
  count(key: Key): number {
    return this.#groups.get(key)?.size ?? 0;
  }

  /** Groups that have members. */
  get groupCount(): number {
    return this.#groups.size;
  }

  add(key: Key, value: Value): void {
    const group = this.#groups.get(key);
    if (group === undefined) this.#groups.set(key, new Set([value]));
    else group.add(value);
  }

  delete(key: Key, value: Value): void {
    const group = this.#groups.get(key);
    if (group === undefined) return;
    group.delete(value);
    if (group.size === 0) this.#groups.delete(key);
  }
}
