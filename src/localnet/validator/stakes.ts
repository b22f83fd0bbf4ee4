import type { AccountStore } from '../accounts/account-store.ts';
import { STAKE_PROGRAM } from '../addresses/program-ids.ts';
import { SYSVAR_STAKE_HISTORY } from '../addresses/sysvar-addresses.ts';
import type { EpochSchedule } from '../epoch/epoch.ts';
import type { Account } from '../model.ts';
import { type Delegation, readDelegation, stakeInEpoch } from './delegation.ts';
import { MAX_ENTRIES, readStakeHistory, type StakeHistory, type StakeTotals } from './stake-history.ts';

const INITIALIZED = 1;
const DELEGATED = 2;
const LOCKUP_TIME_OFFSET = 76;
const LOCKUP_EPOCH_OFFSET = 84;
const LOCKUP_END = 124;

/** Returns the lamports that are effective on each vote account in the epoch of `slot`. */
export function activeStakes(
  { accounts, epochs }: { readonly accounts: AccountStore; readonly epochs: EpochSchedule },
  slot: bigint,
): ReadonlyMap<string, bigint> {
  const epoch = epochs.epochOf(slot);
  const history = historyAt(accounts, slot);
  const stakes = new Map<string, bigint>();
  for (const delegation of delegationsAt(accounts, slot)) {
    const { effective } = stakeInEpoch(delegation, epoch, history);
    if (effective > 0n) stakes.set(delegation.voter, (stakes.get(delegation.voter) ?? 0n) + effective);
  }
  return stakes;
}

/** Returns the stake history at a slot together with the epochs that have ended since it was written: from `first` on, and before `end`. */
export function historyThrough(
  accounts: AccountStore,
  { first, end }: { readonly first: bigint; readonly end: bigint },
  slot: bigint,
): StakeHistory {
  const history = new Map(historyAt(accounts, slot));
  const delegations = delegationsAt(accounts, slot);
  const oldest = end - MAX_ENTRIES;
  for (let epoch = first > oldest ? first : oldest; epoch < end; epoch++) {
    const totals = delegations
      .map((delegation) => stakeInEpoch(delegation, epoch, history))
      .reduce(addTotals, { effective: 0n, activating: 0n, deactivating: 0n });
    history.set(epoch, totals);
  }
  return history;
}

/** True when a stake account is locked in an epoch, which keeps it out of circulation. `time` is Unix seconds. */
export function isLocked({ owner, data }: Account, epoch: bigint, time: bigint): boolean {
  if (owner !== STAKE_PROGRAM || data.length < LOCKUP_END) return false;
  const view = viewOf(data);
  const state = view.getUint32(0, true);
  if (state !== INITIALIZED && state !== DELEGATED) return false;
  return (
    view.getBigInt64(LOCKUP_TIME_OFFSET, true) > time || view.getBigUint64(LOCKUP_EPOCH_OFFSET, true) > epoch
  );
}

function delegationsAt(accounts: AccountStore, slot: bigint): readonly Delegation[] {
  return accounts.ownedBy(STAKE_PROGRAM, slot).flatMap(({ account }) => readDelegation(account) ?? []);
}

function historyAt(accounts: AccountStore, slot: bigint): StakeHistory {
  return readStakeHistory(accounts.read(SYSVAR_STAKE_HISTORY, slot)?.data);
}

function addTotals(a: StakeTotals, b: StakeTotals): StakeTotals {
  return {
    effective: a.effective + b.effective,
    activating: a.activating + b.activating,
    deactivating: a.deactivating + b.deactivating,
  };
}

function viewOf(data: Uint8Array): DataView {
  return new DataView(data.buffer, data.byteOffset, data.length);
}
