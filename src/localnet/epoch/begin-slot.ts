import { type PayingLedger, payRewards } from '../rewards/pay-rewards.ts';
import { recordStake } from './begin-epoch.ts';

/**
 * Makes the changes of accounts with which a slot that was just opened begins: the stake history of the epochs that have ended, and rewards.
 * Call it when the slot before is on disk, which would else have them too.
 */
export function beginSlot(ledger: PayingLedger): void {
  recordStake(ledger);
  payRewards(ledger);
}
