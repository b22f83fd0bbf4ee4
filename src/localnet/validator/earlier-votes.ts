import type { EpochSchedule } from '../epoch/epoch.ts';
import type { Genesis } from '../genesis/genesis.ts';
import type { LedgerState } from '../ledger-state.ts';
import { voteAccountData } from './vote-state.ts';

type VotingLedger = Pick<LedgerState, 'accounts' | 'bank' | 'blocks'> & {
  readonly epochs: EpochSchedule;
  readonly genesis: Genesis;
  readonly votes: boolean;
};

/**
 * Makes the vote account of a ledger that votes by transactions what votes for all slots before the open one would have made of it. The
 * empty slots at the start hold none.
 */
export function countEarlierVotes({ accounts, bank, blocks, epochs, genesis, votes }: VotingLedger): void {
  const { openSlot } = blocks;
  const { identity, voteAddress } = genesis;
  const account = accounts.read(voteAddress, openSlot);
  if (!votes || account === undefined) return;
  const lastTime = blocks.time(openSlot - 1n);
  const data = voteAccountData(identity.address, voteAddress, openSlot, lastTime, epochs);
  bank.write(voteAddress, { ...account, data }, openSlot);
}
