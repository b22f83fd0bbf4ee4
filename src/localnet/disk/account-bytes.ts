import { base58 } from '@scure/base';
import { decodeBase58, encodeBase58 } from '../bytes/base58.ts';
import { ByteWriter } from '../bytes/byte-writer.ts';
import type { StoredChange } from '../accounts/account-store.ts';

const ADDRESS_BYTES = 32;
/** Address, presence, lamports, owner, executable, rent epoch, length of the data, and that length without trailing zeros. */
const HEAD_BYTES = ADDRESS_BYTES + 1 + 8 + ADDRESS_BYTES + 1 + 8 + 4 + 4;

/** An account of a ledger on disk; undefined: removed. */
export type AccountChange = StoredChange;

/** Bits of the byte after the address: the account exists; it was adopted from a fork's source. */
const PRESENT = 1;
const ADOPTED = 2;

/** Returns the bytes of an account with its address. */
export function accountBytes({ address, account, isAdopted }: AccountChange): readonly Uint8Array[] {
  const key = base58.decode(address);
  const adopted = isAdopted === true ? ADOPTED : 0;
  if (account === undefined) return [new ByteWriter(ADDRESS_BYTES + 1).put(key).u8(adopted).bytes];
  const { lamports, owner, executable, rentEpoch, data } = account;
  const head = new ByteWriter(HEAD_BYTES)
    .put(key)
    .u8(PRESENT | adopted)
    .u64(lamports)
    .put(decodeBase58(owner));
  const written = data.subarray(0, lengthWithoutZeros(data));
  head.u8(executable ? 1 : 0).u64(rentEpoch);
  return [head.u32(data.length).u32(written.length).bytes, written];
}

/** Reads accounts one after the other; their data is copied, so that the buffer can be freed. Takes bytes written by accountBytes. */
export function* readAccounts(bytes: Buffer): Generator<AccountChange> {
  let at = 0;
  while (at < bytes.length) {
    const address = encodeBase58(bytes.subarray(at, at + ADDRESS_BYTES));
    const flags = bytes[at + ADDRESS_BYTES] ?? 0;
    const origin = (flags & ADOPTED) === 0 ? {} : { isAdopted: true };
    if ((flags & PRESENT) === 0) {
      at += ADDRESS_BYTES + 1;
      yield { address, account: undefined, ...origin };
      continue;
    }
    const start = at + HEAD_BYTES;
    const end = start + bytes.readUInt32LE(start - 4);
    const ownerAt = at + ADDRESS_BYTES + 9;
    const account = {
      lamports: bytes.readBigUInt64LE(ownerAt - 8),
      owner: encodeBase58(bytes.subarray(ownerAt, ownerAt + ADDRESS_BYTES)),
      executable: bytes[ownerAt + ADDRESS_BYTES] === 1,
      rentEpoch: bytes.readBigUInt64LE(ownerAt + ADDRESS_BYTES + 1),
      data: new Uint8Array(bytes.readUInt32LE(start - 8)),
    };
    account.data.set(bytes.subarray(start, end));
    at = end;
    yield { address, account, ...origin };
  }
}

function lengthWithoutZeros(data: Uint8Array): number {
  let length = data.length;
  while (length > 0 && data[length - 1] === 0) length -= 1;
  return length;
}
