import { serviceError } from '../../core/service-error.ts';
import type { Account } from '../model.ts';
import type { FetchedAccount } from './fetch-accounts.ts';
import type { ForkOrigin } from './fork-origin.ts';

/** A listing requested from a node: the method, and the params that select accounts. */
export type Listing = readonly [method: string, ...params: readonly unknown[]];

export type CassetteLimits = { readonly accounts: number; readonly bytes: number };

export const CASSETTE_LIMITS: CassetteLimits = { accounts: 100_000, bytes: 256 * 1024 * 1024 };
/** Size of an entry without the account's data. */
const ACCOUNT_BYTES = 128;
/** Size of an address in a list, in base-58. */
const ADDRESS_BYTES = 48;

/** The recorded answers of a node: existing accounts, absent ones, and lists of addresses. Limited in number and bytes. */
export class Cassette {
  readonly genesisHash: string;
  readonly epochs: ForkOrigin['epochs'];
  #slot: bigint;
  readonly #limits: CassetteLimits;
  readonly #accounts = new Map<string, Account | undefined>();
  /** Addresses by the JSON text of their listing. */
  readonly #lists = new Map<string, readonly string[]>();
  #bytes = 0;

  constructor({ genesisHash, slot, epochs }: ForkOrigin, limits = CASSETTE_LIMITS) {
    this.genesisHash = genesisHash;
    this.epochs = epochs;
    this.#slot = slot;
    this.#limits = limits;
  }

  /** The latest slot of anything in it. */
  get slot(): bigint {
    return this.#slot;
  }

  has(address: string): boolean {
    return this.#accounts.has(address);
  }

  account(address: string): Account | undefined {
    return this.#accounts.get(address);
  }

  list(listing: Listing): readonly string[] | undefined {
    return this.#lists.get(JSON.stringify(listing));
  }

  /** Every account, sorted by address. */
  accounts(): readonly FetchedAccount[] {
    const sorted = [...this.#accounts].sort(([a], [b]) => (a < b ? -1 : 1));
    return sorted.map(([address, account]) => ({ address, account }));
  }

  /** Every list with its listing, sorted by text. */
  lists(): readonly { readonly listing: string; readonly addresses: readonly string[] }[] {
    const sorted = [...this.#lists].sort(([a], [b]) => (a < b ? -1 : 1));
    return sorted.map(([listing, addresses]) => ({ listing, addresses }));
  }

  /** Records an account; an existing one stays. @throws ServiceError forkFailed: the cassette is full. */
  record({ address, account }: FetchedAccount): void {
    if (this.#accounts.has(address)) return;
    const bytes = this.#bytes + ACCOUNT_BYTES + (account?.data.length ?? 0);
    const { accounts, bytes: most } = this.#limits;
    if (this.#accounts.size >= accounts || bytes > most)
      throw serviceError('forkFailed', {
        reason: `the account ${address} does not fit: a fork has at most ${accounts} accounts of the node and ${most} bytes of them`,
      });
    this.#bytes = bytes;
    this.#accounts.set(address, account);
  }

  /** Records a list of addresses; an existing one stays. @throws ServiceError forkFailed: the cassette is full. */
  recordList(listing: string, addresses: readonly string[]): void {
    if (this.#lists.has(listing)) return;
    const bytes = this.#bytes + listing.length + addresses.length * ADDRESS_BYTES;
    if (bytes > this.#limits.bytes)
      throw serviceError('forkFailed', {
        reason: `the list ${listing} does not fit: a fork has at most ${this.#limits.bytes} bytes of the node`,
      });
    this.#bytes = bytes;
    this.#lists.set(listing, addresses);
  }

  /** Notes the slot of something that was recorded. */
  noteSlot(slot: bigint): void {
    if (slot > this.#slot) this.#slot = slot;
  }

  /** Records the content of another cassette. @throws ServiceError forkFailed: the cassette is full. */
  merge(other: Cassette): void {
    for (const entry of other.accounts()) this.record(entry);
    for (const { listing, addresses } of other.lists()) this.recordList(listing, addresses);
    this.noteSlot(other.slot);
  }
}
