import { base58 } from '@scure/base';
import { ByteWriter } from '../bytes/byte-writer.ts';
import type { Genesis } from './genesis.ts';

export const STAKE_ACCOUNT_BYTES = 200;
const DELEGATED = 2;
const NEVER = 2n ** 64n - 1n;
const WARMUP_RATE = 0.25;
const LOCKUP_SECONDS = 10n * 365n * 24n * 3600n;

/**
 * Returns the data of the genesis stake: delegated to the ledger's vote account since before epoch 0, and locked for ten years, which keeps
 * it out of circulation. It is paid for the votes after so many credits of the vote account.
 */
export function stakeAccountData(genesis: Genesis, rentReserve: bigint, creditsObserved: bigint): Uint8Array {
  const identity = base58.decode(genesis.identity.address);
  return new ByteWriter(STAKE_ACCOUNT_BYTES)
    .u32(DELEGATED)
    .u64(rentReserve)
    .put(identity)
    .put(identity)
    .i64(genesis.time + LOCKUP_SECONDS)
    .u64(0n)
    .put(identity)
    .put(base58.decode(genesis.voteAddress))
    .u64(genesis.stakeLamports)
    .u64(NEVER)
    .u64(NEVER)
    .f64(WARMUP_RATE)
    .u64(creditsObserved)
    .u8(0).bytes;
}
