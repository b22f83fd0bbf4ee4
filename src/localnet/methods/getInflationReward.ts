import type { LedgerHandler } from '../../../generated/ledger/handlers.ts';
import type { InflationReward } from '../../../generated/ledger/types.ts';
import { serviceError } from '../../core/service-error.ts';
import { viewBank } from '../bank/bank-view.ts';
import { findBlock } from '../blocks/find-block.ts';
import type { Ledger } from '../ledger.ts';
import type { Block, BlockReward } from '../model.ts';
import { PARTITIONS } from '../rewards/pay-rewards.ts';

/**
 * Rewards of an epoch are in the first block after it, which pays vote accounts, and in the next one, which pays stakes. Without an epoch
 * in the params, it is the last one that has ended.
 */
export const getInflationReward: LedgerHandler<Ledger, 'getInflationReward'> = (
  ledger,
  addresses,
  config,
) => {
  const { slot } = viewBank(ledger, config);
  const { blocks, epochs } = ledger;
  const current = epochs.epochOf(slot);
  const epoch = BigInt(config?.epoch ?? (current === 0n ? 0n : current - 1n));
  const first = firstBlock(ledger, epochs.firstSlot(epoch + 1n), slot);
  const voting = rewardsOf(first, addresses, ['Voting']);
  const others = addresses.filter((address) => !voting.has(address));
  const found = new Map(voting);
  if (others.length > 0) {
    const next = blocks.ancestor(first.slot, -1n);
    if (next > slot) throw stillPaying(ledger, first, slot);
    const staking = rewardsOf(findBlock(ledger, next, slot), others, ['Staking', 'DeactivatedStake']);
    for (const [address, reward] of staking) found.set(address, reward);
  }
  return addresses.map((address) => {
    const reward = found.get(address);
    return reward === undefined ? null : { epoch, ...reward };
  });
};

type Paid = Omit<InflationReward, 'epoch'>;

/** @throws ServiceError blockNotAvailable, blockCleanedUp. */
function firstBlock(ledger: Ledger, slot: bigint, newest: bigint): Block {
  const { skipped } = ledger.blocks;
  if (!skipped.has(slot)) return findBlock(ledger, slot, newest);
  const [gap] = skipped.within(slot, newest);
  if (gap === undefined || gap.end > newest) throw serviceError('blockNotAvailable', { slot });
  return findBlock(ledger, gap.end, newest);
}

function rewardsOf(
  { slot, rewards }: Block,
  addresses: readonly string[],
  types: readonly BlockReward['type'][],
): ReadonlyMap<string, Paid> {
  const wanted = (rewards?.paid ?? []).filter(
    ({ address, type }) => types.includes(type) && addresses.includes(address),
  );
  return new Map(
    wanted.map(({ address, lamports: amount, postBalance, commissionBps }) => [
      address,
      { effectiveSlot: slot, amount, postBalance, commission: null, commissionBps },
    ]),
  );
}

/** By the count of a node, the rewards are complete one block after the last partition. */
function stillPaying({ blocks }: Ledger, { height }: Block, slot: bigint) {
  return serviceError('epochRewardsActive', {
    slot,
    currentBlockHeight: blocks.height(slot),
    rewardsCompleteBlockHeight: height + PARTITIONS + 1n,
  });
}
