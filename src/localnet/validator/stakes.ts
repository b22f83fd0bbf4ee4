import { base58 } from '@scure/base';
import type { AccountStore } from '../accounts/account-store.ts';
import { STAKE_PROGRAM } from '../addresses/program-ids.ts';
import { epochOf } from '../epoch/epoch.ts';
import type { Account } from '../model.ts';

const INITIALIZED = 1;
const DELEGATED = 2;
const GENESIS = 2n ** 64n - 1n;
const LOCKUP_TIME_OFFSET = 76;
const LOCKUP_EPOCH_OFFSET = 84;
const VOTER_OFFSET = 124;

/**
 * Returns the lamports staked on a vote account in the epoch of `slot`: delegations made before the epoch and not withdrawn before it. They
 * count in full from their first epoch on; the warmup rate of a real cluster is not modelled.
 */
export function activeStake(accounts: AccountStore, voteAddress: string, slot: bigint): bigint {
  const epoch = epochOf(slot);
  return accounts
    .ownedBy(STAKE_PROGRAM, slot)
    .map(({ account }) => delegatedStake(account, voteAddress, epoch))
    .reduce((sum, stake) => sum + stake, 0n);
}

/** True when a stake account is locked at a slot, which keeps it out of circulation. `time` is Unix seconds. */
export function isLocked({ owner, data }: Account, slot: bigint, time: bigint): boolean {
  if (owner !== STAKE_PROGRAM || data.length < VOTER_OFFSET) return false;
  const view = viewOf(data);
  const state = view.getUint32(0, true);
  if (state !== INITIALIZED && state !== DELEGATED) return false;
  return (
    view.getBigInt64(LOCKUP_TIME_OFFSET, true) > time ||
    view.getBigUint64(LOCKUP_EPOCH_OFFSET, true) > epochOf(slot)
  );
}

function delegatedStake({ owner, data }: Account, voteAddress: string, epoch: bigint): bigint {
  if (owner !== STAKE_PROGRAM || data.length < 200) return 0n;
  const view = viewOf(data);
  if (view.getUint32(0, true) !== DELEGATED) return 0n;
  if (base58.encode(data.subarray(VOTER_OFFSET, VOTER_OFFSET + 32)) !== voteAddress) return 0n;
  const [stake, activated, deactivated] = [156, 164, 172].map((offset) => view.getBigUint64(offset, true));
  if (stake === undefined || activated === undefined || deactivated === undefined) return 0n;
  const isActive = (activated === GENESIS || activated < epoch) && deactivated >= epoch;
  return isActive ? stake : 0n;
}

function viewOf(data: Uint8Array): DataView {
  return new DataView(data.buffer, data.byteOffset, data.length);
}
