import { base58 } from '@scure/base';
import { ByteWriter } from '../bytes/byte-writer.ts';
import type { Genesis } from './genesis.ts';

export const STAKE_ACCOUNT_BYTES = 200;
const DELEGATED = 2;
const NEVER = 2n ** 64n - 1n;
const WARMUP_RATE = 0.25;
const NO_LOCKUP = new Uint8Array(8 + 8 + 32);

/**
 * Returns the data of the genesis stake: delegated to the ledger's vote account since before epoch 0, without a lockup. It is paid for
 * the votes after so many credits of the vote account.
 */
export function stakeAccountData(genesis: Genesis, rentReserve: bigint, creditsObserved: bigint): Uint8Array {
  const identity = base58.decode(genesis.identity.address);
  return new ByteWriter(STAKE_ACCOUNT_BYTES)
    .u32(DELEGATED)
    .u64(rentReserve)
    .put(identity)
    .put(identity)
    .put(NO_LOCKUP)
    .put(base58.decode(genesis.voteAddress))
    .u64(genesis.stakeLamports)
    .u64(NEVER)
    .u64(NEVER)
    .f64(WARMUP_RATE)
    .u64(creditsObserved)
    .u8(0).bytes;
}
