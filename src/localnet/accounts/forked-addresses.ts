import type { Account } from '../model.ts';

/** What a call would have read of the fork's source. */
export type Collected<T> = { readonly value: T; readonly missing: readonly string[] };

/**
 * Which accounts of a fork are known: fetched, found absent at its source, or made by the ledger itself. All others are at the source, and
 * a call that reads one of them has to be made again when it is here.
 */
export class ForkedAddresses {
  /** Known ones; those that the ledger has now need not be among them. */
  readonly #known = new Set<string>();
  /** Undefined: nobody asks for them. */
  #adopted: Map<string, Account | undefined> | undefined;
  #missing: Set<string> | undefined;

  isKnown(address: string): boolean {
    return this.#known.has(address);
  }

  /** From now on the account is what the ledger makes of it. */
  settle(address: string): void {
    this.#known.add(address);
  }

  /** Settles an account as the source has it; undefined: there is none. */
  adopt(address: string, account: Account | undefined): void {
    this.#known.add(address);
    this.#adopted?.set(address, account);
  }

  /** From now on what is adopted is held until it is taken. */
  keepAdopted(): void {
    this.#adopted ??= new Map();
  }

  /** Returns what was adopted since the last call. */
  takeAdopted(): ReadonlyMap<string, Account | undefined> {
    const adopted = this.#adopted;
    if (adopted !== undefined) this.#adopted = new Map();
    return adopted ?? new Map();
  }

  /** Call it when an account is read that the ledger does not have. */
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
