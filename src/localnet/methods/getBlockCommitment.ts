import type { LedgerHandler } from '../../../generated/ledger/handlers.ts';
import type { Ledger } from '../ledger.ts';
import { activeStake } from '../validator/stakes.ts';

/** Numbers of later votes that are counted separately; the last one means rooted. */
const COMMITMENT_LEVELS = 32;

/** The one validator has voted for every closed slot, so all stake is at the number of votes on top of the slot. */
export const getBlockCommitment: LedgerHandler<Ledger, 'getBlockCommitment'> = (ledger, slot) => {
  const { openSlot } = ledger.blocks;
  const totalStake = activeStake(ledger.accounts, ledger.genesis.voteAddress, openSlot);
  const depth = openSlot - 1n - BigInt(slot);
  const isVoted = depth >= 0n && depth < COMMITMENT_LEVELS;
  const commitment = Array.from({ length: COMMITMENT_LEVELS }, (_, level) =>
    BigInt(level) === depth ? totalStake : 0n,
  );
  return { commitment: isVoted ? commitment : null, totalStake };
};
