import type { Account } from '../model.ts';

/** A captured state of all accounts: its differences from the next state on the way to the current one. */
export type AccountVersion = {
  differences: Map<string, Account | undefined>;
  next: AccountVersion | undefined;
  /** Bytes of the data of the accounts in `differences`, and of the entries that hold them. */
  bytes: number;
};

/** The current accounts. */
export type LiveAccounts = {
  readonly get: (address: string) => Account | undefined;
  readonly set: (address: string, account: Account | undefined) => void;
};

/**
 * States of all accounts, captured in constant time and stored as differences. They form a tree whose root is the current state: going to a
 * state reverses the path to it (H. Baker's rerooting), at the cost of the differences on that path.
 */
export class AccountVersions {
  readonly #versions = new Set<AccountVersion>();
  readonly #released = new Set<AccountVersion>();
  /** The version that the current state grew from. */
  #newest: AccountVersion | undefined;

  /** Number of differences that are held. */
  get size(): number {
    return this.#versions.values().reduce((sum, { differences }) => sum + differences.size, 0);
  }

  /** Bytes of the data of accounts that are held as differences; data that several of them share counts for each. */
  get bytes(): number {
    return this.#versions.values().reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** Captures a state that differs from the current one by these accounts. */
  add(differences: ReadonlyMap<string, Account | undefined>): AccountVersion {
    const now = this.take();
    const version = { differences: new Map(differences), next: now, bytes: bytesOf(differences.values()) };
    this.#versions.add(version);
    this.release(now);
    return version;
  }

  /** Returns the addresses that may differ between a version and the current state. */
  differing(version: AccountVersion): ReadonlySet<string> {
    const addresses = new Set<string>();
    for (let each: AccountVersion | undefined = version; each !== undefined; each = each.next)
      for (const address of each.differences.keys()) addresses.add(address);
    return addresses;
  }

  /** Captures the current state. */
  take(): AccountVersion {
    const version: AccountVersion = { differences: new Map(), next: undefined, bytes: 0 };
    if (this.#newest !== undefined) this.#newest.next = version;
    this.#newest = version;
    this.#versions.add(version);
    return version;
  }

  /** Call it before an account changes, with its old value. */
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

  /** Releases a version, and the differences that only it needs. */
  release(version: AccountVersion): void {
    this.#released.add(version);
    for (const each of this.#released) this.#forget(each);
  }

  /** Other versions may be stored as differences from this one: a single one takes its differences over, with several it stays. */
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

/** Size of an entry without the account's data. */
const ENTRY_BYTES = 128;

function bytesOf(accounts: Iterable<Account | undefined>): number {
  let bytes = 0;
  for (const account of accounts) bytes += ENTRY_BYTES + (account?.data.length ?? 0);
  return bytes;
}
