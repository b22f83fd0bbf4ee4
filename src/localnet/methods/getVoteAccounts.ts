import type { LedgerHandler } from '../../../generated/ledger/handlers.ts';
import { LIMITS } from '../../../generated/ledger/limits.ts';
import { viewBank } from '../bank/bank-view.ts';
import type { Ledger } from '../ledger.ts';
import { activeStake } from '../validator/stakes.ts';
import { voteRecord } from '../validator/vote-state.ts';

const SHOWN_EPOCHS = 5;

const DELINQUENT_DISTANCE = BigInt(LIMITS.getVoteAccounts['config.delinquentSlotDistance.default']);

/** The one validator votes for every slot in the next one: it is delinquent before its first votes, or if no lag is allowed. */
export const getVoteAccounts: LedgerHandler<Ledger, 'getVoteAccounts'> = (ledger, config) => {
  const { slot } = viewBank(ledger, { commitment: config?.commitment });
  const { identity, voteAddress } = ledger.genesis;
  if ((config?.votePubkey ?? voteAddress) !== voteAddress) return { current: [], delinquent: [] };
  const { lastVote, root, epochCredits } = voteRecord(slot);
  const activatedStake = activeStake(ledger.accounts, voteAddress, slot);
  const account = {
    votePubkey: voteAddress,
    nodePubkey: identity.address,
    activatedStake,
    commission: 0,
    inflationRewardsCommissionBps: 0,
    epochVoteAccount: activatedStake > 0n,
    epochCredits: epochCredits.slice(-SHOWN_EPOCHS),
    lastVote,
    rootSlot: root ?? 0n,
  };
  const distance = BigInt(config?.delinquentSlotDistance ?? DELINQUENT_DISTANCE);
  const isCurrent = lastVote > (slot < distance ? 0n : slot - distance);
  if (isCurrent) return { current: [account], delinquent: [] };
  const isShown = activatedStake > 0n || config?.keepUnstakedDelinquents === true;
  return { current: [], delinquent: isShown ? [account] : [] };
};
