import { MAX_BLOCKHASH_AGE } from './recent-blockhashes.ts';
import type { Ledger } from '../ledger.ts';

/** Returns the newest blockhash of the bank of `slot`, and the last block height at which it is valid. */
export function latestBlockhash(
  { blocks }: Ledger,
  slot: bigint,
): { readonly blockhash: string; readonly lastValidBlockHeight: bigint } {
  return {
    blockhash: blocks.blockhash(blocks.latestHashSlot(slot)),
    lastValidBlockHeight: blocks.height(slot) + MAX_BLOCKHASH_AGE,
  };
}
