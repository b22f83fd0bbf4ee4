import { type PayingLedger, payRewards } from '../rewards/pay-rewards.ts';
import type { AccountStore } from '../accounts/account-store.ts';
import { SYSVAR_STAKE_HISTORY } from '../addresses/sysvar-addresses.ts';
import type { Bank } from '../bank/bank.ts';
import type { BlockHistory } from '../blocks/block-history.ts';
import type { SlotPace } from '../time/slot-pace.ts';
import { stakeHistoryData } from '../validator/stake-history.ts';
import { historyThrough } from '../validator/stakes.ts';
import type { EpochSchedule } from './epoch.ts';
import type { EpochTimes } from './epoch-times.ts';

/**
 * Makes the account changes at the beginning of a slot that was just opened: the stake history of the ended epochs, and rewards. Call it
 * once the previous slot is on disk, which would otherwise contain them too.
 */
export function beginSlot(ledger: PayingLedger): void {
  recordStake(ledger);
  payRewards(ledger);
}

type Chain = { readonly blocks: BlockHistory; readonly epochs: EpochSchedule };

/** Notes the start of a new epoch when its first slot is opened. If its first slots were skipped, the start is earlier by their length. */
export function beginEpoch(
  { blocks, epochs, pace }: Chain & { readonly pace: SlotPace },
  epochTimes: EpochTimes,
): void {
  const { openSlot } = blocks;
  const epoch = epochs.epochOf(openSlot);
  if (epoch === epochs.epochOf(blocks.ancestor(openSlot, 1n))) return;
  const elapsedMs = Number(epochs.slotIndex(openSlot)) * pace.slotMs;
  epochTimes.begin(epoch, blocks.time(openSlot) - BigInt(Math.trunc(elapsedMs / 1000)));
}

/** The first block of an epoch adds those that have ended since its parent to the stake history. */
function recordStake({
  accounts,
  bank,
  blocks,
  epochs,
}: Chain & { readonly accounts: AccountStore; readonly bank: Bank }): void {
  const { openSlot } = blocks;
  const sysvar = accounts.read(SYSVAR_STAKE_HISTORY, openSlot);
  const [first, end] = [epochs.epochOf(blocks.ancestor(openSlot, 1n)), epochs.epochOf(openSlot)];
  if (first === end || sysvar === undefined) return;
  const history = historyThrough(accounts, { first, end }, openSlot);
  bank.write(SYSVAR_STAKE_HISTORY, { ...sysvar, data: stakeHistoryData(history) }, openSlot);
}
