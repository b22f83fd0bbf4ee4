import type { AccountStore } from '../accounts/account-store.ts';
import { VOTE_PROGRAM } from '../addresses/program-ids.ts';
import { readVoteAccount } from '../encode/parsed-account/vote.ts';
import type { EpochCredits } from './stake-points.ts';

/** A vote account, as far as rewards depend on it. */
export type Voter = {
  /** Oldest epoch first. */
  readonly credits: readonly EpochCredits[];
  readonly commissionBps: number;
  /** The account that is paid the commission. */
  readonly collector: string;
};

/** Reads the vote accounts at the end of a slot, by address. */
export function readVoters(accounts: AccountStore, slot: bigint): ReadonlyMap<string, Voter> {
  const voters = new Map<string, Voter>();
  for (const { address, account } of accounts.ownedBy(VOTE_PROGRAM, slot)) {
    const info = readVoteAccount(account.data, address);
    if (info === undefined) continue;
    const credits = info.epochCredits.map((each) => ({
      epoch: each.epoch,
      credits: BigInt(each.credits),
      previousCredits: BigInt(each.previousCredits),
    }));
    voters.set(address, {
      credits,
      commissionBps: info.inflationRewardsCommissionBps,
      collector: info.inflationRewardsCollector,
    });
  }
  return voters;
}
