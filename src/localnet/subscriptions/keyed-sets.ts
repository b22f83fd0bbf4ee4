/** Sets of items under a key; an empty set is not kept. */
export class KeyedSets<T> {
  readonly #sets = new Map<string, Set<T>>();

  /** Number of keys with items. */
  get size(): number {
    return this.#sets.size;
  }

  get(key: string): Iterable<T> {
    return this.#sets.get(key) ?? [];
  }

  /** All items, whatever their key. */
  *all(): Generator<T> {
    for (const set of this.#sets.values()) yield* set;
  }

  add(key: string, item: T): void {
    const set = this.#sets.get(key);
    if (set === undefined) this.#sets.set(key, new Set([item]));
    else set.add(item);
  }

  delete(key: string, item: T): void {
    const set = this.#sets.get(key);
    set?.delete(item);
    if (set?.size === 0) this.#sets.delete(key);
  }
}
