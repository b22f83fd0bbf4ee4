import type { LedgerHandler } from '../../../generated/ledger/handlers.ts';
import type { Ledger } from '../ledger.ts';
import { activeStakes } from '../validator/stakes.ts';

/** Numbers of later votes that are counted separately; the last one means rooted. */
const COMMITMENT_LEVELS = 32;

/**
 * The ledger's validator has voted for every closed slot, so its stake is at the number of votes on top of the slot. Under Alpenglow nothing is
 * counted (agave, `alpenglow_update_commitment_cache`).
 */
export const getBlockCommitment: LedgerHandler<Ledger, 'getBlockCommitment'> = (ledger, slot) => {
  if (ledger.consensus === 'alpenglow') return { commitment: null, totalStake: 0n };
  const { blocks } = ledger;
  const { openSlot } = blocks;
  const stakes = activeStakes(ledger, openSlot);
  const ownStake = stakes.get(ledger.genesis.voteAddress) ?? 0n;
  const totalStake = stakes.values().reduce((sum, stake) => sum + stake, 0n);
  const depth = blocks.height(openSlot) - 1n - blocks.height(BigInt(slot));
  const isVoted = !blocks.skipped.has(BigInt(slot)) && depth >= 0n && depth < COMMITMENT_LEVELS;
  const commitment = Array.from({ length: COMMITMENT_LEVELS }, (_, level) =>
    BigInt(level) === depth ? ownStake : 0n,
  );
  return { commitment: isVoted ? commitment : null, totalStake };
};
