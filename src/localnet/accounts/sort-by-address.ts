import { decodeBase58 } from '../bytes/base58.ts';
import type { KeyedAccount } from '../model.ts';

/** Accounts in the order of a node: by the bytes of the address, which base-58 text does not sort like. */
export function sortByAddress(accounts: readonly KeyedAccount[]): readonly KeyedAccount[] {
  return accounts
    .map((entry) => ({ entry, bytes: decodeBase58(entry.address) }))
    .sort((a, b) => Buffer.compare(a.bytes, b.bytes))
    .map(({ entry }) => entry);
}
