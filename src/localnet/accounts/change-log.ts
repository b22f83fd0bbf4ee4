import type { Account } from '../model.ts';
import type { SavedAccounts } from './saved-accounts.ts';

/** The state of an account before its first change in a slot; undefined: it did not exist. */
type Change = { readonly slot: bigint; readonly account: Account | undefined };

/** Undo records of the slots that are not finalized yet, oldest first per account. */
export class ChangeLog {
  /** The lists are never changed, so that copies share them. */
  readonly #changes: Map<string, readonly Change[]>;
  readonly #touched: Map<bigint, string[]>;

  constructor(
    changes: ReadonlyMap<string, readonly Change[]> = new Map(),
    touched: ReadonlyMap<bigint, readonly string[]> = new Map(),
  ) {
    this.#changes = new Map(changes);
    this.#touched = new Map(Array.from(touched, ([slot, each]) => [slot, [...each]]));
  }

  copy(): ChangeLog {
    return new ChangeLog(this.#changes, this.#touched);
  }

  /** Returns what accounts were before their first change in each slot. */
  all(): SavedAccounts['changes'] {
    return Array.from(this.#touched).flatMap(([slot, addresses]) =>
      addresses.flatMap((address) => {
        const change = this.#changes.get(address)?.find((each) => each.slot === slot);
        return change === undefined ? [] : [{ slot, address, account: change.account }];
      }),
    );
  }

  get size(): number {
    return this.#changes.size;
  }

  addresses(): Iterable<string> {
    return this.#changes.keys();
  }

  record(address: string, account: Account | undefined, slot: bigint): void {
    const changes = this.#changes.get(address) ?? [];
    if (changes.at(-1)?.slot === slot) return;
    this.#changes.set(address, [...changes, { slot, account }]);
    const touched = this.#touched.get(slot);
    if (touched === undefined) this.#touched.set(slot, [address]);
    else touched.push(address);
  }

  /** Returns the account at the end of `slot`, if it changed later. */
  before(address: string, slot: bigint): Change | undefined {
    return this.#changes.get(address)?.find((change) => change.slot > slot);
  }

  /** Returns the addresses with a record of a slot. */
  touchedIn(slot: bigint): readonly string[] {
    return this.#touched.get(slot) ?? [];
  }

  /** Drops the records of a slot, before which no read can go any more. Call it for slots in order. */
  forget(slot: bigint): void {
    for (const address of this.#touched.get(slot) ?? []) {
      const kept = (this.#changes.get(address) ?? []).filter((change) => change.slot > slot);
      if (kept.length === 0) this.#changes.delete(address);
      else this.#changes.set(address, kept);
    }
    this.#touched.delete(slot);
  }
}
