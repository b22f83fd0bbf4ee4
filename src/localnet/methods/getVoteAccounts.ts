import type { LedgerHandler } from '../../../generated/ledger/handlers.ts';
import { LIMITS } from '../../../generated/ledger/limits.ts';
import type { VoteAccount } from '../../../generated/ledger/types.ts';
import { sortByAddress } from '../accounts/sort-by-address.ts';
import { VOTE_PROGRAM } from '../addresses/program-ids.ts';
import { viewBank } from '../bank/bank-view.ts';
import { readVoteAccount, type VoteInfo } from '../encode/parsed-account/vote.ts';
import type { Ledger } from '../ledger.ts';
import { activeStakes } from '../validator/stakes.ts';

const SHOWN_EPOCHS = 5;

const DELINQUENT_DISTANCE = BigInt(LIMITS.getVoteAccounts['config.delinquentSlotDistance.default']);

/** Every vote account that is initialized; one that lags or has never voted is delinquent, and shown if it has stake or on request. */
export const getVoteAccounts: LedgerHandler<Ledger, 'getVoteAccounts'> = (ledger, config) => {
  const { slot } = viewBank(ledger, { commitment: config?.commitment });
  const stakes = activeStakes(ledger, slot);
  const votePubkey = config?.votePubkey ?? undefined;
  const accounts = sortByAddress(ledger.accounts.ownedBy(VOTE_PROGRAM, slot)).flatMap(
    ({ address, account }) => {
      const info = readVoteAccount(account.data, address);
      if (info === undefined || (votePubkey !== undefined && votePubkey !== address)) return [];
      return [voteAccount(address, info, stakes.get(address) ?? 0n)];
    },
  );
  const distance = BigInt(config?.delinquentSlotDistance ?? DELINQUENT_DISTANCE);
  const newest = slot < distance ? 0n : slot - distance;
  const [current, lagging] = [
    accounts.filter(({ lastVote }) => lastVote > newest),
    accounts.filter(({ lastVote }) => lastVote <= newest),
  ];
  const keepsUnstaked = config?.keepUnstakedDelinquents === true;
  return {
    current,
    delinquent: lagging.filter(({ activatedStake }) => keepsUnstaked || activatedStake > 0n),
  };
};

function voteAccount(votePubkey: string, info: VoteInfo, activatedStake: bigint): VoteAccount {
  const { nodePubkey, commission, inflationRewardsCommissionBps, votes, rootSlot, epochCredits } = info;
  return {
    votePubkey,
    nodePubkey,
    activatedStake,
    commission,
    inflationRewardsCommissionBps,
    epochVoteAccount: activatedStake > 0n,
    epochCredits: epochCredits
      .slice(-SHOWN_EPOCHS)
      .map(({ epoch, credits, previousCredits }) => [epoch, BigInt(credits), BigInt(previousCredits)]),
    lastVote: votes.at(-1)?.slot ?? 0n,
    rootSlot: rootSlot ?? 0n,
  };
}
