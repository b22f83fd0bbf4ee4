import type { AccountFilter } from '../../../generated/ledger/types.ts';
import { decodeMemcmp } from './memcmp-bytes.ts';
import { readTokenAccount } from './token-layout.ts';

/**
 * Compiles a filter of getProgramAccounts to a predicate on account data. Throws `invalidParam` for bytes that do not match their stated
 * encoding and `memcmpDataTooLarge` for more than 128 of them.
 */
export function compileFilter(filter: AccountFilter): (data: Uint8Array) => boolean {
  if (filter === 'tokenAccountState') return (data) => readTokenAccount(data) !== undefined;
  if ('dataSize' in filter) {
    const size = BigInt(filter.dataSize);
    return (data) => BigInt(data.length) === size;
  }
  const start = BigInt(filter.memcmp.offset);
  const expected = decodeMemcmp(filter.memcmp);
  return (data) => {
    if (start + BigInt(expected.length) > BigInt(data.length)) return false;
    const offset = Number(start);
    return expected.every((byte, index) => data[offset + index] === byte);
  };
}
