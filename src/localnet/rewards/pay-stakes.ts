import type { AccountStore } from '../accounts/account-store.ts';
import { STAKE_PROGRAM } from '../addresses/program-ids.ts';
import { SYSVAR_EPOCH_REWARDS, SYSVAR_STAKE_HISTORY } from '../addresses/sysvar-addresses.ts';
import type { Bank } from '../bank/bank.ts';
import type { EpochSchedule } from '../epoch/epoch.ts';
import type { BlockReward, DueReward } from '../model.ts';
import { withLastPayment } from '../sysvars/epoch-rewards.ts';
import { readDelegation, stakeInEpoch, withStakeReward } from '../validator/delegation.ts';
import { readStakeHistory } from '../validator/stake-history.ts';

type StakeAccounts = {
  readonly accounts: AccountStore;
  readonly bank: Bank;
  readonly epochs: EpochSchedule;
};

/**
 * Pays in the open slot what the first block of the epoch left due, and ends the payment. What is due to a stake that is none any more, which takes
 * a cheat code, is burned.
 */
export function payStakes(
  { accounts, bank, epochs }: StakeAccounts,
  due: readonly DueReward[],
  slot: bigint,
): readonly BlockReward[] {
  const history = readStakeHistory(accounts.read(SYSVAR_STAKE_HISTORY, slot)?.data);
  const rewards = due.flatMap(({ address, lamports, creditsObserved, commissionBps }): BlockReward[] => {
    const account = accounts.read(address, slot);
    if (account?.owner !== STAKE_PROGRAM || readDelegation(account) === undefined) return [];
    const paid = withStakeReward(account, lamports, creditsObserved);
    bank.write(address, paid, slot);
    const delegation = readDelegation(paid);
    if (lamports === 0n || delegation === undefined) return [];
    const { effective } = stakeInEpoch(delegation, epochs.epochOf(slot), history);
    const type = effective === 0n ? 'DeactivatedStake' : 'Staking';
    return [{ address, type, lamports, postBalance: paid.lamports, commissionBps }];
  });
  const sysvar = accounts.read(SYSVAR_EPOCH_REWARDS, slot);
  const total = due.reduce((sum, { lamports }) => sum + lamports, 0n);
  if (sysvar !== undefined)
    bank.write(SYSVAR_EPOCH_REWARDS, { ...sysvar, data: withLastPayment(sysvar.data, total) }, slot);
  return rewards;
}
