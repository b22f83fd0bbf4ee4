import { type AccountStore, ForkedAddresses } from '../accounts/account-store.ts';
import { isTokenProgram } from '../addresses/is-token-program.ts';
import type { Bank } from '../bank/bank.ts';
import { readTokenAccount } from '../encode/token-layout.ts';
import type { Account } from '../model.ts';
import { programDataAddress } from '../transaction/loaded-size.ts';
import type { Listing } from './cassette.ts';
import type { FetchedAccount } from './fetch-accounts.ts';
import type { ForkOrigin } from './fork-origin.ts';
import type { ForkSource } from './fork-source.ts';

/** The parts of a ledger that a fork fills. */
export type ForkedLedger = { readonly accounts: AccountStore; readonly bank: Bank };

/** A ledger with the accounts of a node, each adopted when it is first touched. */
export class Fork {
  readonly origin: ForkOrigin;
  /** The addresses of known accounts. */
  readonly addresses = new ForkedAddresses();
  readonly #source: ForkSource;
  readonly #close: () => Promise<void>;

  constructor(origin: ForkOrigin, source: ForkSource, close: () => Promise<void>) {
    this.origin = origin;
    this.#source = source;
    this.#close = close;
  }

  /**
   * Adopts accounts that were never touched, as if they had always been there, with the code of a program and the mint of a token account.
   *
   * @throws ServiceError forkFailed naming those that are not available, and why; then none is adopted.
   */
  async touch({ accounts, bank }: ForkedLedger, addresses: readonly string[]): Promise<void> {
    const found = new Map<string, FetchedAccount>();
    const isNew = (address: string): boolean => !accounts.isKnown(address) && !found.has(address);
    let wanted = [...new Set(addresses.filter(isNew))];
    while (wanted.length > 0) {
      const fetched = await this.#source.accounts(wanted);
      for (const entry of fetched) found.set(entry.address, entry);
      wanted = [...new Set(fetched.flatMap(({ account }) => companions(account)).filter(isNew))];
    }
    // The runtime loads a program when it is written, so its code must come first.
    const programsLast = [...found.values()].sort(
      (a, b) => Number(a.account?.executable ?? false) - Number(b.account?.executable ?? false),
    );
    for (const { address, account } of programsLast) bank.adopt(address, account);
  }

  /**
   * Returns accounts as the node has them, in order, without adopting them; undefined: the node has none. @throws ServiceError forkFailed.
   */
  async fetch(addresses: readonly string[]): Promise<readonly (Account | undefined)[]> {
    return (await this.#source.accounts(addresses)).map(({ account }) => account);
  }

  /** Adopts the accounts that a listing of the node names. @throws ServiceError forkFailed. */
  async touchListed(ledger: ForkedLedger, listing: Listing): Promise<void> {
    await this.touch(ledger, await this.#source.list(listing));
  }

  /** Ends the recording; the cassette's file is then complete. */
  async close(): Promise<void> {
    await this.#close();
  }
}

/** An account cannot be run or shown without these. */
function companions(account: Account | undefined): readonly string[] {
  if (account === undefined) return [];
  const code = programDataAddress(account);
  if (code !== undefined) return [code];
  const mint = isTokenProgram(account.owner) ? readTokenAccount(account.data)?.mint : undefined;
  return mint === undefined ? [] : [mint];
}
