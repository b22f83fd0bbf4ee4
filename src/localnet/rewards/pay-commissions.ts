import type { AccountStore } from '../accounts/account-store.ts';
import { SYSTEM_PROGRAM } from '../addresses/program-ids.ts';
import { RESERVED_KEYS } from '../addresses/reserved-keys.ts';
import type { Bank } from '../bank/bank.ts';
import type { Runtime } from '../bank/runtime.ts';
import type { Account, BlockReward } from '../model.ts';
import type { Commission } from './epoch-payout.ts';

type PaidFrom = {
  readonly accounts: AccountStore;
  readonly bank: Bank;
  readonly runtime: Pick<Runtime, 'rentExemption'>;
};

const EMPTY: Account = {
  lamports: 0n,
  data: new Uint8Array(0),
  owner: SYSTEM_PROGRAM,
  executable: false,
  rentEpoch: 2n ** 64n - 1n,
};

/**
 * Pays commissions in the open slot, each to the vote account or to the collector that it names, which has to be a rent-exempt account of
 * the system program; else it is burned, and no reward of the block (SIMD-0232).
 */
export function payCommissions(
  { accounts, bank, runtime }: PaidFrom,
  commissions: readonly Commission[],
  slot: bigint,
): readonly BlockReward[] {
  return commissions.flatMap(({ isVoter, collector, commissionBps, lamports }) => {
    const before = accounts.read(collector, slot) ?? (accounts.isKnown(collector) ? EMPTY : undefined);
    if (before === undefined) return [];
    const account = { ...before, lamports: before.lamports + lamports };
    const isWallet =
      account.owner === SYSTEM_PROGRAM &&
      !RESERVED_KEYS.has(collector) &&
      account.lamports >= runtime.rentExemption(BigInt(account.data.length));
    if (!isVoter && !isWallet) return [];
    if (lamports > 0n) bank.write(collector, account, slot);
    const { lamports: postBalance } = account;
    return [{ address: collector, type: 'Voting' as const, lamports, postBalance, commissionBps }];
  });
}
