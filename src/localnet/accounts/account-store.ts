import type { Account, KeyedAccount } from '../model.ts';
import { AccountIndex } from './account-index.ts';
import { type AccountVersion, AccountVersions } from './account-versions.ts';
import type { SavedAccounts } from './saved-accounts.ts';
import { ChangeLog } from './change-log.ts';
import type { ForkedAddresses } from './forked-addresses.ts';

/** Data of an account that follows from the slot alone (sysvars, the vote account), computed on each read. */
export type DerivedData = (slot: bigint) => Uint8Array;

/** What became of an account in a slot; undefined: it was removed. `isAdopted`: it was taken from a fork's source. */
export type StoredChange = {
  readonly address: string;
  readonly account: Account | undefined;
  readonly isAdopted?: boolean;
};

/** A state of all accounts, with those of its slots that are not finalized. */
export type AccountState = { readonly version: AccountVersion; readonly changes: ChangeLog };

/**
 * All accounts, readable as of any slot that is not finalized yet and of the newest finalized one. Reads never
 * reach the runtime.
 */
export class AccountStore {
  readonly #current = new Map<string, Account>();
  #changes = new ChangeLog();
  /** Of the accounts in it. */
  #lamports = 0n;
  readonly #versions = new AccountVersions();
  readonly #index = new AccountIndex();
  readonly #derived: ReadonlyMap<string, DerivedData>;
  /** Undefined: the ledger is no fork, and what it does not have does not exist. */
  readonly #forked: ForkedAddresses | undefined;

  constructor(derived: ReadonlyMap<string, DerivedData>, forked?: ForkedAddresses) {
    this.#derived = derived;
    this.#forked = forked;
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
    if (account === undefined && !this.#current.has(address)) this.#forked?.missed(address);
    const derive = this.#derived.get(address);
    return account === undefined || derive === undefined ? account : { ...account, data: derive(slot) };
  }

  /** Writes (or, with undefined, removes) an account in the open slot. */
  write(address: string, account: Account | undefined, slot: bigint): void {
    const before = this.#current.get(address);
    if (account === undefined) this.#forked?.settle(address);
    if (before === undefined && account === undefined) return;
    this.#changes.record(address, before, slot);
    this.#versions.record(address, before);
    this.#set(address, account);
  }

  /** False: an account of a fork that is still to be had from its source. */
  isKnown(address: string): boolean {
    return this.#forked?.isKnown(address) !== false || this.#current.has(address) || this.isDerived(address);
  }

  /**
   * Takes an account of a fork's source, as it was in every slot and snapshot of the ledger; undefined: there is none. Returns false, and
   * changes nothing, for one that is known.
   */
  adopt(address: string, account: Account | undefined): boolean {
    if (this.isKnown(address)) return false;
    this.#forked?.adopt(address, account);
    if (account !== undefined) this.#set(address, account);
    return true;
  }

  /** Makes a change of a stored slot again. */
  redo({ address, account, isAdopted }: StoredChange, slot: bigint): void {
    if (isAdopted === true) this.adopt(address, account);
    else this.write(address, account, slot);
  }

  /** The accounts of a fork that are known not to exist. */
  absent(): readonly string[] {
    return [...(this.#forked?.all() ?? [])].filter((address) => !this.#current.has(address));
  }

  /** Takes the state of now. */
  take(): AccountState {
    return { version: this.#versions.take(), changes: this.#changes.copy() };
  }

  /** Makes a state that was taken that of now. Returns the accounts that changed now, and all that may differ at any slot. */
  goTo({ version, changes }: AccountState): {
    readonly changed: ReadonlySet<string>;
    readonly differing: Iterable<string>;
  } {
    const before = this.#changes;
    const live = {
      get: (address: string) => this.#current.get(address),
      set: (address: string, account: Account | undefined) => this.#set(address, account),
    };
    const changed = this.#versions.goTo(version, live);
    this.#changes = changes.copy();
    const differing = function* (): Generator<string> {
      yield* changed;
      yield* before.addresses();
      yield* changes.addresses();
    };
    return { changed, differing: { [Symbol.iterator]: differing } };
  }

  /** Gives up a state that was taken. */
  release({ version }: AccountState): void {
    this.#versions.release(version);
  }

  /** Bytes of the accounts that differ between now and the states that were taken. */
  get takenBytes(): number {
    return this.#versions.bytes;
  }

  /** Returns a state that was taken on its own. */
  save({ version, changes }: AccountState): SavedAccounts {
    const addresses = new Set([
      ...this.#current.keys(),
      ...this.#versions.differing(version),
      ...(this.#forked?.all() ?? []),
    ]);
    const current = Array.from(addresses, (address) => ({
      address,
      account: this.#versions.read(version, address, (each) => this.#current.get(each)),
    }));
    const isKept = ({ address, account }: (typeof current)[number]): boolean =>
      account !== undefined || this.#forked?.isKnown(address) === true;
    return { current: current.filter(isKept), changes: changes.all() };
  }

  /** Takes a state that was saved. */
  load({ current, changes }: SavedAccounts): AccountState {
    const saved = new Map(current.map(({ address, account }) => [address, account]));
    const differences = new Map<string, Account | undefined>();
    for (const address of new Set([...saved.keys(), ...this.#current.keys()])) {
      const account = saved.get(address);
      if (account !== undefined || this.#current.has(address)) differences.set(address, account);
    }
    const log = new ChangeLog();
    for (const { address, account, slot } of changes) log.record(address, account, slot);
    return { version: this.#versions.add(differences), changes: log };
  }

  /** Returns an account as it was stored when a state was taken. */
  readTaken({ version }: AccountState, address: string): Account | undefined {
    return this.#versions.read(version, address, (each) => this.#current.get(each));
  }

  /** Returns an account as it is stored now. Of one whose data changes with every slot, the data is that of genesis. */
  current(address: string): Account | undefined {
    return this.#current.get(address);
  }

  /** All accounts as they are stored now. */
  stored(): readonly KeyedAccount[] {
    return Array.from(this.#current, ([address, account]) => ({ address, account }));
  }

  /** All accounts as they were stored at the end of `slot`. */
  storedAt(slot: bigint): readonly KeyedAccount[] {
    const addresses = new Set([...this.#current.keys(), ...this.#changes.addresses()]);
    return Array.from(addresses).flatMap((address) => {
      const account = this.#stored(address, slot);
      return account === undefined ? [] : [{ address, account }];
    });
  }

  /** The lamports of all accounts as they are stored now. */
  get lamports(): bigint {
    return this.#lamports;
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

  #set(address: string, account: Account | undefined): void {
    const before = this.#current.get(address);
    this.#index.replace(address, before, account);
    this.#lamports += (account?.lamports ?? 0n) - (before?.lamports ?? 0n);
    if (account === undefined) this.#current.delete(address);
    else this.#current.set(address, withOwnBytes(account));
  }

  #stored(address: string, slot: bigint): Account | undefined {
    const change = this.#changes.before(address, slot);
    return change === undefined ? this.#current.get(address) : change.account;
  }
}

/** A Buffer of decoded text is a view of memory that it shares with others, and its `slice` another view. */
function withOwnBytes(account: Account): Account {
  return Buffer.isBuffer(account.data) ? { ...account, data: Uint8Array.from(account.data) } : account;
}
