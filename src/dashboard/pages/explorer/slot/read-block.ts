import type { LedgerClient } from '../../../../../generated/ledger/client.ts';
import { CallError } from '../../../../../runtime/call-error.ts';

/** A block, as far as the page of its slot shows it. */
export type SlotBlock = {
  readonly blockhash: string;
  readonly parent: bigint;
  readonly time: bigint | null;
  readonly height: bigint | null;
  readonly signatures: readonly string[];
  /** Absent where the node does not know it: it keeps the leaders of few epochs. */
  readonly leader?: string;
};

/** How a block is asked for: signatures alone. */
export const BLOCK_CONFIG = {
  transactionDetails: 'signatures',
  rewards: true,
  commitment: 'confirmed',
  maxSupportedTransactionVersion: 1,
} as const;

/** Reads the block of a slot. Throws CallError, and Error where the node cannot read it. */
export async function readBlock(ledger: LedgerClient, slot: bigint): Promise<SlotBlock> {
  const block = await ledger.getBlock(slot, BLOCK_CONFIG);
  if (block === null) throw new Error('The node knows the block and cannot read it.');
  // Blocks name their leader by the fees that it got; the schedule covers slots without any.
  const rewarded = block.rewards?.find(({ rewardType }) => rewardType === 'Fee')?.pubkey;
  const leader = rewarded ?? (await scheduledLeader(ledger, slot));
  return {
    blockhash: block.blockhash,
    parent: block.parentSlot,
    time: block.blockTime,
    height: block.blockHeight,
    signatures: 'signatures' in block ? block.signatures : [],
    ...(leader !== undefined && { leader }),
  };
}

async function scheduledLeader(ledger: LedgerClient, slot: bigint): Promise<string | undefined> {
  try {
    return (await ledger.getSlotLeaders(slot, 1))[0];
  } catch (error) {
    // The schedule is kept for the epochs around the current one; of others the node refuses it.
    if (error instanceof CallError && error.failure.kind === 'rpc') return undefined;
    throw error;
  }
}
