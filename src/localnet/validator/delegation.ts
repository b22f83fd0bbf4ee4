import { base58 } from '@scure/base';
import type { Account } from '../model.ts';
import type { StakeHistory, StakeTotals } from './stake-history.ts';

/** A delegation of a stake account. Amounts are lamports. */
export type Delegation = {
  readonly voter: string;
  readonly stake: bigint;
  readonly activationEpoch: bigint;
  readonly deactivationEpoch: bigint;
  /** Credits of the vote account that were already paid. */
  readonly creditsObserved: bigint;
};

const DELEGATED = 2;
const STAKE_BYTES = 200;
const VOTER_OFFSET = 124;
const AMOUNT_OFFSET = 156;
const CREDITS_OFFSET = 188;
/** The activation epoch of a stake of the genesis. */
const GENESIS = 2n ** 64n - 1n;
/** The share of the effective stake that can become or cease to be effective in one epoch. */
const RATE = 0.09;

const NOTHING: StakeTotals = { effective: 0n, activating: 0n, deactivating: 0n };

/** Reads the delegation of a stake account; undefined: it is not delegated. */
export function readDelegation({ data }: Account): Delegation | undefined {
  if (data.length < STAKE_BYTES) return undefined;
  const view = new DataView(data.buffer, data.byteOffset, data.length);
  if (view.getUint32(0, true) !== DELEGATED) return undefined;
  return {
    voter: base58.encode(data.subarray(VOTER_OFFSET, VOTER_OFFSET + 32)),
    stake: view.getBigUint64(AMOUNT_OFFSET, true),
    activationEpoch: view.getBigUint64(164, true),
    deactivationEpoch: view.getBigUint64(172, true),
    creditsObserved: view.getBigUint64(CREDITS_OFFSET, true),
  };
}

/** Returns a stake account with a reward, which is delegated too. */
export function withStakeReward(account: Account, lamports: bigint, creditsObserved: bigint): Account {
  const data = Uint8Array.from(account.data);
  const view = new DataView(data.buffer);
  view.setBigUint64(AMOUNT_OFFSET, view.getBigUint64(AMOUNT_OFFSET, true) + lamports, true);
  view.setBigUint64(CREDITS_OFFSET, creditsObserved, true);
  return { ...account, data, lamports: account.lamports + lamports };
}

/** Returns how much of a delegation is effective, and becomes or ceases to be so, in an epoch (crate solana-stake-interface, `Delegation`). */
export function stakeInEpoch(delegation: Delegation, epoch: bigint, history: StakeHistory): StakeTotals {
  const { deactivationEpoch } = delegation;
  const { effective, activating } = activated(delegation, epoch, history);
  if (epoch < deactivationEpoch) return { effective, activating, deactivating: 0n };
  if (epoch === deactivationEpoch) return { effective, activating: 0n, deactivating: effective };
  const start = history.get(deactivationEpoch);
  if (start === undefined) return NOTHING;
  let left = effective;
  for (let [past, totals] = [deactivationEpoch, start]; totals.deactivating > 0n; ) {
    left -= atMost(left, share(left, totals.deactivating, totals.effective));
    past += 1n;
    const next = history.get(past);
    if (left === 0n || past >= epoch || next === undefined) break;
    totals = next;
  }
  return { effective: left, activating: 0n, deactivating: left };
}

function activated(delegation: Delegation, epoch: bigint, history: StakeHistory): StakeTotals {
  const { stake, activationEpoch, deactivationEpoch } = delegation;
  if (activationEpoch === GENESIS) return { ...NOTHING, effective: stake };
  if (activationEpoch === deactivationEpoch || epoch < activationEpoch) return NOTHING;
  if (epoch === activationEpoch) return { ...NOTHING, activating: stake };
  const start = history.get(activationEpoch);
  if (start === undefined) return { ...NOTHING, effective: stake };
  let effective = 0n;
  for (let [past, totals] = [activationEpoch, start]; totals.activating > 0n; ) {
    const waiting = stake - effective;
    effective += atMost(waiting, share(waiting, totals.activating, totals.effective));
    past += 1n;
    const next = history.get(past);
    if (effective === stake || past >= epoch || past >= deactivationEpoch || next === undefined) break;
    totals = next;
  }
  return { effective, activating: stake - effective, deactivating: 0n };
}

/** The delegation's share of what can change in the whole cluster, in doubles as on a validator; at least one lamport. */
function share(own: bigint, ofAll: bigint, effective: bigint): bigint {
  const lamports = BigInt(Math.trunc((Number(own) / Number(ofAll)) * (Number(effective) * RATE)));
  return lamports > 1n ? lamports : 1n;
}

function atMost(limit: bigint, value: bigint): bigint {
  return value < limit ? value : limit;
}
