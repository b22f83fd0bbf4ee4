import type { Account, KeyedAccount } from '../model.ts';
import { AccountIndex } from './account-index.ts';
import { ChangeLog } from './change-log.ts';

/** Data of an account that follows from the slot alone (sysvars, the vote account), computed on each read. */
export type DerivedData = (slot: bigint) => Uint8Array;

/**
 * All accounts, readable as of any slot that is not finalized yet and of the newest finalized one. Reads never
 * reach the runtime.
 */
export class AccountStore {
  readonly #current = new Map<string, Account>();
  readonly #changes = new ChangeLog();
  readonly #index = new AccountIndex();
  readonly #derived: ReadonlyMap<string, DerivedData>;

  constructor(derived: ReadonlyMap<string, DerivedData>) {
    this.#derived = derived;
  }

  /** Number of accounts. */
  get size(): number {
    return this.#current.size;
  }

  /** Number of undo records: bounded by the changes of the slots that are not finalized. */
  get undoSize(): number {
    return this.#changes.size;
  }

  /** Returns the account as it was at the end of `slot`, or as it is now for the open slot. */
  read(address: string, slot: bigint): Account | undefined {
    const account = this.#stored(address, slot);
    const derive = this.#derived.get(address);
    return account === undefined || derive === undefined ? account : { ...account, data: derive(slot) };
  }

  /** Writes (or, with undefined, removes) an account in the open slot. */
  write(address: string, account: Account | undefined, slot: bigint): void {
    const before = this.#current.get(address);
    if (before === undefined && account === undefined) return;
    this.#changes.record(address, before, slot);
    this.#index.replace(address, before, account);
    if (account === undefined) this.#current.delete(address);
    else this.#current.set(address, account);
  }

  isDerived(address: string): boolean {
    return this.#derived.has(address);
  }

  /** True when an account differs between the end of `slot` and now. */
  changedSince(address: string, slot: bigint): boolean {
    return this.#derived.has(address) || this.#changes.before(address, slot) !== undefined;
  }

  /** Returns the program that owns an account at the end of `slot`, or now for the open slot. */
  ownerOf(address: string, slot: bigint): string | undefined {
    return this.#stored(address, slot)?.owner;
  }

  /** Returns the addresses of the accounts written in a slot that is not finalized yet, each once. */
  writtenIn(slot: bigint): readonly string[] {
    return this.#changes.touchedIn(slot);
  }

  /** The accounts whose data changes with every slot. */
  get derivedAddresses(): Iterable<string> {
    return this.#derived.keys();
  }

  /** Every account at a slot, in no order. */
  *all(slot: bigint): Generator<KeyedAccount> {
    yield* this.#readAll(this.#current.keys(), slot);
    yield* this.#readAll(this.#changes.addresses(), slot, (address) => !this.#current.has(address));
  }

  ownedBy(program: string, slot: bigint): readonly KeyedAccount[] {
    return this.#indexed(this.#index.owners.get(program), slot).filter(
      ({ account }) => account.owner === program,
    );
  }

  /** Token accounts, and others, that the index lists under a mint, a token owner or a delegate; callers still filter. */
  tokenAccounts(
    by: 'mints' | 'tokenOwners' | 'delegates',
    address: string,
    slot: bigint,
  ): readonly KeyedAccount[] {
    return this.#indexed(this.#index[by].get(address), slot);
  }

  /** Drops the states of accounts before `slot`. */
  finalize(slot: bigint): void {
    this.#changes.forget(slot);
  }

  /** Candidates that are listed now, and all that changed recently: the caller filters them. */
  #indexed(listed: ReadonlySet<string> | undefined, slot: bigint): readonly KeyedAccount[] {
    const now = listed ?? new Set<string>();
    return [
      ...this.#readAll(now, slot),
      ...this.#readAll(this.#changes.addresses(), slot, (address) => !now.has(address)),
    ];
  }

  *#readAll(
    addresses: Iterable<string>,
    slot: bigint,
    wanted = (_address: string): boolean => true,
  ): Generator<KeyedAccount> {
    for (const address of addresses) {
      if (!wanted(address)) continue;
      const account = this.read(address, slot);
      if (account !== undefined) yield { address, account };
    }
  }

  #stored(address: string, slot: bigint): Account | undefined {
    const change = this.#changes.before(address, slot);
    return change === undefined ? this.#current.get(address) : change.account;
  }
}
