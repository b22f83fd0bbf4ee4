import type { Account, KeyedAccount } from '../model.ts';
import { type AccountVersion, AccountVersions } from './account-versions.ts';
import type { SavedAccounts } from './saved-accounts.ts';
import { readTokenAccount } from '../encode/token-layout.ts';
import { isTokenProgram } from '../addresses/is-token-program.ts';

/** Data of an account that follows from the slot alone (sysvars, the vote account), computed on each read. */
export type DerivedData = (slot: bigint) => Uint8Array;

/** An account after a slot; undefined: removed. `isAdopted`: taken from a fork's source. */
export type StoredChange = {
  readonly address: string;
  readonly account: Account | undefined;
  readonly isAdopted?: boolean;
};

/** A state of all accounts, including the slots that are not finalized. */
export type AccountState = { readonly version: AccountVersion; readonly changes: ChangeLog };

/**
 * All accounts, readable as of any slot that is not finalized yet and of the newest finalized one. Reads never
 * reach the runtime.
 */
export class AccountStore {
  readonly #current = new Map<string, Account>();
  #changes = new ChangeLog();
  /** Sum over all current accounts. */
  #lamports = 0n;
  readonly #versions = new AccountVersions();
  readonly #index = new AccountIndex();
  readonly #derived: ReadonlyMap<string, DerivedData>;
  /** Undefined: the ledger is no fork, and an account that it lacks does not exist. */
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

  /** False: an account of a fork that was not fetched from its source yet. */
  isKnown(address: string): boolean {
    return this.#forked?.isKnown(address) !== false || this.#current.has(address) || this.isDerived(address);
  }

  /**
   * Adopts an account of a fork's source, as it was in every slot and snapshot of the ledger; undefined: the source has none. Returns
   * false, and changes nothing, for a known one.
   */
  adopt(address: string, account: Account | undefined): boolean {
    if (this.isKnown(address)) return false;
    this.#forked?.adopt(address, account);
    if (account !== undefined) this.#set(address, account);
    return true;
  }

  /** Replays a change of a stored slot. */
  redo({ address, account, isAdopted }: StoredChange, slot: bigint): void {
    if (isAdopted === true) this.adopt(address, account);
    else this.write(address, account, slot);
  }

  /** The accounts of a fork that are known not to exist. */
  absent(): readonly string[] {
    return [...(this.#forked?.all() ?? [])].filter((address) => !this.#current.has(address));
  }

  /** Captures the current state. */
  take(): AccountState {
    return { version: this.#versions.take(), changes: this.#changes.copy() };
  }

  /** Goes to a captured state. Returns the accounts that change by it, and all that may differ at any slot. */
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

  /** Releases a captured state. */
  release({ version }: AccountState): void {
    this.#versions.release(version);
  }

  /** Bytes of the accounts that differ between the current state and the captured ones. */
  get takenBytes(): number {
    return this.#versions.bytes;
  }

  /** Returns a captured state without the ledger. */
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

  /** Loads a saved state. */
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

  /** Returns an account as stored when a state was captured. */
  readTaken({ version }: AccountState, address: string): Account | undefined {
    return this.#versions.read(version, address, (each) => this.#current.get(each));
  }

  /** Returns an account as it is stored now. Data that changes with every slot is that of genesis. */
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

  /** Token accounts, and others, that the index lists under a mint, a token owner or a delegate; callers filter them. */
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

/** Secondary indexes over the current accounts: by owning program; token accounts by mint, owner and delegate. */
class AccountIndex {
  readonly owners = new AddressSets();
  readonly mints = new AddressSets();
  readonly tokenOwners = new AddressSets();
  readonly delegates = new AddressSets();

  replace(address: string, before: Account | undefined, after: Account | undefined): void {
    this.owners.move(address, before?.owner, after?.owner);
    const [old, now] = [tokenAccount(before), tokenAccount(after)];
    this.mints.move(address, old?.mint, now?.mint);
    this.tokenOwners.move(address, old?.owner, now?.owner);
    this.delegates.move(address, old?.delegate ?? undefined, now?.delegate ?? undefined);
  }
}

function tokenAccount(account: Account | undefined): ReturnType<typeof readTokenAccount> {
  return account !== undefined && isTokenProgram(account.owner) ? readTokenAccount(account.data) : undefined;
}

/** Sets of addresses under a key; an empty set is not kept. */
class AddressSets {
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

/** A result, and the addresses that a call would have read from the fork's source. */
type Collected<T> = { readonly value: T; readonly missing: readonly string[] };

/**
 * The known accounts of a fork: fetched, absent at the source, or made by the ledger itself. All others are still at the source, and a call
 * that reads one of them is repeated once it is fetched.
 */
export class ForkedAddresses {
  /** Accounts that the ledger has are not necessarily listed. */
  readonly #known = new Set<string>();
  /** Undefined: adopted accounts are not collected. */
  #adopted: Map<string, Account | undefined> | undefined;
  #missing: Set<string> | undefined;

  isKnown(address: string): boolean {
    return this.#known.has(address);
  }

  /** From now on the ledger decides what the account is. */
  settle(address: string): void {
    this.#known.add(address);
  }

  /** Adopts an account as the source has it; undefined: the source has none. */
  adopt(address: string, account: Account | undefined): void {
    this.#known.add(address);
    this.#adopted?.set(address, account);
  }

  /** From now on adopted accounts are collected until they are taken. */
  keepAdopted(): void {
    this.#adopted ??= new Map();
  }

  /** Returns the accounts adopted since the last call. */
  takeAdopted(): ReadonlyMap<string, Account | undefined> {
    const adopted = this.#adopted;
    if (adopted !== undefined) this.#adopted = new Map();
    return adopted ?? new Map();
  }

  /** Call it when a read misses an account in the ledger. */
  missed(address: string): void {
    if (!this.#known.has(address)) this.#missing?.add(address);
  }

  /** Runs a function that reads accounts, to its end, and returns the accounts that it missed. */
  collect<T>(run: () => T): Collected<T> {
    this.#missing = new Set();
    try {
      return { value: run(), missing: [...this.#missing] };
    } finally {
      this.#missing = undefined;
    }
  }

  /** Every known address. */
  all(): Iterable<string> {
    return this.#known;
  }
}

/** The state of an account before its first change in a slot; undefined: it did not exist. */
type Change = { readonly slot: bigint; readonly account: Account | undefined };

/** Undo records of the slots that are not finalized yet, oldest first per account. */
class ChangeLog {
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
