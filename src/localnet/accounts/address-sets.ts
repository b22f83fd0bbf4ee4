/** Sets of addresses under a key; an empty set is not kept. */
export class AddressSets {
  readonly #sets = new Map<string, Set<string>>();

  get(key: string): ReadonlySet<string> | undefined {
    return this.#sets.get(key);
  }

  /** Moves an address from the set of one key to that of another; undefined means no key. */
  move(address: string, from: string | undefined, to: string | undefined): void {
    if (from === to) return;
    if (from !== undefined) this.#remove(address, from);
    if (to !== undefined) this.#add(address, to);
  }

  #add(address: string, key: string): void {
    const set = this.#sets.get(key);
    if (set === undefined) this.#sets.set(key, new Set([address]));
    else set.add(address);
  }

  #remove(address: string, key: string): void {
    const set = this.#sets.get(key);
    set?.delete(address);
    if (set?.size === 0) this.#sets.delete(key);
  }
}
