import type { AccountStore } from '../accounts/account-store.ts';
import { STAKE_PROGRAM } from '../addresses/program-ids.ts';
import { SYSVAR_EPOCH_REWARDS, SYSVAR_STAKE_HISTORY } from '../addresses/sysvar-addresses.ts';
import type { Bank } from '../bank/bank.ts';
import type { Runtime } from '../bank/runtime.ts';
import type { BlockHistory } from '../blocks/block-history.ts';
import type { EpochSchedule } from '../epoch/epoch.ts';
import type { BlockRewards } from '../model.ts';
import { epochRewardsData } from '../sysvars/epoch-rewards.ts';
import type { SlotPace } from '../time/slot-pace.ts';
import { readDelegation } from '../validator/delegation.ts';
import { epochInflation } from '../validator/inflation.ts';
import { readStakeHistory } from '../validator/stake-history.ts';
import { type EpochPayout, epochPayout } from './epoch-payout.ts';
import { payCommissions } from './pay-commissions.ts';
import { payStakes } from './pay-stakes.ts';
import { readVoters } from './voters.ts';

/** The parts of a ledger that pay rewards and are paid. */
export type PayingLedger = {
  readonly accounts: AccountStore;
  readonly bank: Bank;
  readonly blocks: BlockHistory;
  readonly epochs: EpochSchedule;
  readonly pace: SlotPace;
  readonly runtime: Runtime;
};

/** All stake accounts are paid by one block. */
export const PARTITIONS = 1n;

/**
 * Pays rewards in a slot that was just opened, if it is the first one of an epoch (commissions) or the one after that (stakes), as a
 * validator does (SIMD-0118). The epoch that is paid is that of the parent: after a warp over several, one is.
 */
export function payRewards(ledger: PayingLedger): void {
  const { blocks, epochs } = ledger;
  const { openSlot } = blocks;
  const parent = blocks.ancestor(openSlot, 1n);
  const { due } = blocks.rewards(parent) ?? {};
  const paid = due === undefined ? [] : payStakes(ledger, due, openSlot);
  if (epochs.epochOf(parent) !== epochs.epochOf(openSlot)) {
    const begun = beginPayout(ledger, parent);
    blocks.reward({ ...begun, paid: [...paid, ...begun.paid] });
  } else if (due !== undefined) blocks.reward({ paid });
}

function beginPayout(ledger: PayingLedger, parent: bigint): BlockRewards {
  const { blocks, bank, accounts } = ledger;
  const { openSlot } = blocks;
  const { value, commissions, due } = payoutOf(ledger, parent);
  const paid = payCommissions(ledger, commissions, openSlot);
  const sysvar = accounts.read(SYSVAR_EPOCH_REWARDS, openSlot);
  const data = epochRewardsData({
    startHeight: blocks.height(openSlot) + 1n,
    partitions: PARTITIONS,
    parentBlockhash: blocks.blockhash(parent),
    ...{ points: value.points, total: value.lamports, isActive: true },
    distributed: commissions.reduce((sum, { lamports }) => sum + lamports, 0n),
  });
  if (sysvar !== undefined) bank.write(SYSVAR_EPOCH_REWARDS, { ...sysvar, data }, openSlot);
  return { paid, due };
}

/** The credits are those at the end of the parent: votes of this epoch count in the next one. */
function payoutOf({ accounts, blocks, epochs, pace }: PayingLedger, parent: bigint): EpochPayout {
  const { openSlot } = blocks;
  let supply = 0n;
  for (const { account } of accounts.all(openSlot)) supply += account.lamports;
  const delegations = accounts.ownedBy(STAKE_PROGRAM, openSlot).flatMap(({ address, account }) => {
    const delegation = readDelegation(account);
    return delegation === undefined ? [] : [{ address, delegation }];
  });
  return epochPayout({
    epoch: epochs.epochOf(parent),
    lamports: epochInflation({
      ...{ supply, slotsPerEpoch: epochs.slotsIn(epochs.epochOf(parent)), slotMs: pace.slotMs },
      firstSlot: epochs.firstSlot(epochs.epochOf(openSlot)),
    }),
    history: readStakeHistory(accounts.read(SYSVAR_STAKE_HISTORY, openSlot)?.data),
    voters: readVoters(accounts, parent),
    delegations,
  });
}
