import { base58 } from '@scure/base';
import type { TransactionError } from '../../../generated/ledger/types.ts';
import { ADDRESS_LOOKUP_TABLE_PROGRAM } from '../addresses/program-ids.ts';
import type { Account, LoadedAddresses } from '../model.ts';
import type { Message, TableLookup } from '../../core/wire/message.ts';

export type LookupResult =
  | { readonly kind: 'loaded'; readonly addresses: LoadedAddresses }
  | { readonly kind: 'error'; readonly error: TransactionError };
type AddressesResult =
  | { readonly kind: 'addresses'; readonly addresses: readonly string[]; readonly usable: number }
  | { readonly kind: 'error'; readonly error: TransactionError };

const TABLE_HEADER_BYTES = 56;
const TABLE_DISCRIMINATOR = 1;
const ADDRESS_BYTES = 32;
const NOT_DEACTIVATED = 2n ** 64n - 1n;
/** A deactivated table can be used while its slot is among the slot hashes. */
const DEACTIVATION_COOLDOWN = 512n;
const NONE: LoadedAddresses = { writable: [], readonly: [] };

/**
 * Loads the addresses that a v0 message takes from lookup tables, as the bank of `slot` sees them: an address is usable from the slot after
 * the one that added it.
 */
export function loadAddresses(
  message: Message,
  read: (address: string) => Account | undefined,
  slot: bigint,
): LookupResult {
  if (message.lookups.length === 0) return { kind: 'loaded', addresses: NONE };
  const writable: string[] = [];
  const readonly: string[] = [];
  for (const lookup of message.lookups) {
    const table = readTable(read(lookup.accountKey), slot);
    if (table.kind === 'error') return table;
    const { addresses, usable } = table;
    if (indexesOf(lookup).some((index) => index >= usable))
      return { kind: 'error', error: 'InvalidAddressLookupTableIndex' };
    writable.push(...pick(addresses, lookup.writableIndexes));
    readonly.push(...pick(addresses, lookup.readonlyIndexes));
  }
  return { kind: 'loaded', addresses: { writable, readonly } };
}

/** Returns the addresses that a message takes from one of its tables, whether or not they can be used yet. */
export function addressesFrom(lookup: TableLookup, table: Account | undefined): readonly string[] {
  if (table?.owner !== ADDRESS_LOOKUP_TABLE_PROGRAM) return [];
  return indexesOf(lookup).flatMap((index) => {
    const start = TABLE_HEADER_BYTES + ADDRESS_BYTES * index;
    const address = table.data.subarray(start, start + ADDRESS_BYTES);
    return address.length === ADDRESS_BYTES ? [base58.encode(address)] : [];
  });
}

function readTable(account: Account | undefined, slot: bigint): AddressesResult {
  if (account === undefined) return { kind: 'error', error: 'AddressLookupTableNotFound' };
  if (account.owner !== ADDRESS_LOOKUP_TABLE_PROGRAM)
    return { kind: 'error', error: 'InvalidAddressLookupTableOwner' };
  const { data } = account;
  const view = new DataView(data.buffer, data.byteOffset, data.length);
  if (
    data.length < TABLE_HEADER_BYTES ||
    view.getUint32(0, true) !== TABLE_DISCRIMINATOR ||
    (data.length - TABLE_HEADER_BYTES) % ADDRESS_BYTES !== 0
  ) {
    return { kind: 'error', error: 'InvalidAddressLookupTableData' };
  }
  const deactivated = view.getBigUint64(4, true);
  if (deactivated !== NOT_DEACTIVATED && slot > deactivated + DEACTIVATION_COOLDOWN) {
    return { kind: 'error', error: 'AddressLookupTableNotFound' };
  }
  const count = (data.length - TABLE_HEADER_BYTES) / ADDRESS_BYTES;
  const addresses = Array.from({ length: count }, (_, index) => {
    const start = TABLE_HEADER_BYTES + ADDRESS_BYTES * index;
    return base58.encode(data.subarray(start, start + ADDRESS_BYTES));
  });
  const usable = slot > view.getBigUint64(12, true) ? count : view.getUint8(20);
  return { kind: 'addresses', addresses, usable };
}

function indexesOf({ writableIndexes, readonlyIndexes }: TableLookup): readonly number[] {
  return [...writableIndexes, ...readonlyIndexes];
}

function pick(addresses: readonly string[], indexes: readonly number[]): readonly string[] {
  return indexes.flatMap((index) => addresses[index] ?? []);
}
