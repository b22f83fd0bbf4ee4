import type { Account } from '../model.ts';

/** A state of all accounts that was taken: what differs from it in the next one on the way to the state of now. */
export type AccountVersion = {
  differences: Map<string, Account | undefined>;
  next: AccountVersion | undefined;
  /** Of the data of the accounts in `differences`, and of what holds them. */
  bytes: number;
};

/** The accounts of now. */
export type LiveAccounts = {
  readonly get: (address: string) => Account | undefined;
  readonly set: (address: string, account: Account | undefined) => void;
};

/**
 * States of all accounts, taken in no time and held by their differences alone. They are a tree whose root is the state of now: going to
 * one of them turns the path to it around (H. Baker's rerooting), which costs as much as there are differences on the path.
 */
export class AccountVersions {
  readonly #versions = new Set<AccountVersion>();
  readonly #released = new Set<AccountVersion>();
  /** The version that the state of now grew from. */
  #newest: AccountVersion | undefined;

  /** Number of differences that are held. */
  get size(): number {
    return this.#versions.values().reduce((sum, { differences }) => sum + differences.size, 0);
  }

  /** Bytes of the data of accounts that are held as differences; data that several of them share counts for each. */
  get bytes(): number {
    return this.#versions.values().reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** Takes a state that differs from that of now by these accounts. */
  add(differences: ReadonlyMap<string, Account | undefined>): AccountVersion {
    const now = this.take();
    const version = { differences: new Map(differences), next: now, bytes: bytesOf(differences.values()) };
    this.#versions.add(version);
    this.release(now);
    return version;
  }

  /** Returns the addresses that may differ between a version and now. */
  differing(version: AccountVersion): ReadonlySet<string> {
    const addresses = new Set<string>();
    for (let each: AccountVersion | undefined = version; each !== undefined; each = each.next)
      for (const address of each.differences.keys()) addresses.add(address);
    return addresses;
  }

  /** Takes the state of now. */
  take(): AccountVersion {
    const version: AccountVersion = { differences: new Map(), next: undefined, bytes: 0 };
    if (this.#newest !== undefined) this.#newest.next = version;
    this.#newest = version;
    this.#versions.add(version);
    return version;
  }

  /** Call it before an account changes, with what it is. */
  record(address: string, before: Account | undefined): void {
    const newest = this.#newest;
    if (newest === undefined || newest.differences.has(address)) return;
    newest.differences.set(address, before);
    newest.bytes += bytesOf([before]);
  }

  /** Reads an account as it was in a version. */
  read(version: AccountVersion, address: string, live: LiveAccounts['get']): Account | undefined {
    for (let each: AccountVersion | undefined = version; each !== undefined; each = each.next)
      if (each.differences.has(address)) return each.differences.get(address);
    return live(address);
  }

  /** Makes a version the state of now, from which the next changes are recorded. Returns the addresses that were set. */
  goTo(version: AccountVersion, live: LiveAccounts): ReadonlySet<string> {
    const path: AccountVersion[] = [];
    for (let each: AccountVersion | undefined = version; each !== undefined; each = each.next)
      path.push(each);
    const changed = new Set<string>();
    for (let index = path.length - 1; index >= 0; index--) {
      const each = path[index];
      if (each === undefined) continue;
      const back = new Map<string, Account | undefined>();
      for (const [address, account] of each.differences) {
        back.set(address, live.get(address));
        live.set(address, account);
        changed.add(address);
      }
      const before = path[index + 1];
      if (before !== undefined)
        Object.assign(before, { differences: back, next: each, bytes: bytesOf(back.values()) });
      Object.assign(each, { differences: new Map(), next: undefined, bytes: 0 });
    }
    this.#newest = version;
    return changed;
  }

  /** Gives up a version: what only it needs is forgotten. */
  release(version: AccountVersion): void {
    this.#released.add(version);
    for (const each of this.#released) this.#forget(each);
  }

  /** Others may be held by their difference to a version: one takes over what it knows, with more it stays. */
  #forget(version: AccountVersion): void {
    const [other, ...more] = this.#versions.values().filter(({ next }) => next === version);
    if (more.length > 0) return;
    this.#released.delete(version);
    this.#versions.delete(version);
    if (this.#newest === version) this.#newest = other;
    if (other === undefined) return;
    for (const [address, account] of version.differences)
      if (!other.differences.has(address)) {
        other.differences.set(address, account);
        other.bytes += bytesOf([account]);
      }
    other.next = version.next;
  }
}

/** Beside the data of each account. */
const ENTRY_BYTES = 128;

function bytesOf(accounts: Iterable<Account | undefined>): number {
  let bytes = 0;
  for (const account of accounts) bytes += ENTRY_BYTES + (account?.data.length ?? 0);
  return bytes;
}
