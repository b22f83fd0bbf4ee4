import type { DerivedData } from './account-store.ts';
import type { BlockHistory } from '../blocks/block-history.ts';
import {
  SYSVAR_CLOCK,
  SYSVAR_RECENT_BLOCKHASHES,
  SYSVAR_SLOT_HASHES,
  SYSVAR_SLOT_HISTORY,
} from '../addresses/sysvar-addresses.ts';
import type { Consensus } from '../consensus.ts';
import type { EpochSchedule } from '../epoch/epoch.ts';
import type { EpochTimes } from '../epoch/epoch-times.ts';
import type { Genesis } from '../genesis/genesis.ts';
import { clockData, recentBlockhashesData, slotHashesData, slotHistoryData } from '../sysvars/sysvars.ts';
import { voteAccountData } from '../validator/vote-state.ts';

type DerivedFrom = {
  readonly blocks: BlockHistory;
  readonly epochs: EpochSchedule;
  readonly epochTimes: EpochTimes;
  readonly genesis: Genesis;
  /** The validator votes by transactions: what its vote account contains is what they make of it. */
  readonly votes: boolean;
  readonly consensus: Consensus;
};

/** The accounts whose data changes with every slot, with the function from slot and chain to data. */
export function derivedAccounts({
  blocks,
  epochs,
  epochTimes,
  genesis,
  votes,
  consensus,
}: DerivedFrom): ReadonlyMap<string, DerivedData> {
  const { voteAddress } = genesis;
  const voteAccount: DerivedData = (slot) => {
    const lastTime = blocks.time(slot === 0n ? 0n : blocks.skipped.parentOf(slot));
    return voteAccountData({ genesis, consensus, slot, lastTime, epochs });
  };
  return new Map<string, DerivedData>([
    [SYSVAR_CLOCK, (slot) => clockData(slot, blocks.time(slot), epochs, epochTimes)],
    [SYSVAR_SLOT_HASHES, (slot) => slotHashesData(blocks, slot)],
    [SYSVAR_RECENT_BLOCKHASHES, (slot) => recentBlockhashesData(blocks, slot)],
    [SYSVAR_SLOT_HISTORY, (slot) => slotHistoryData(slot, blocks.skipped)],
    ...(votes ? [] : [[voteAddress, voteAccount] as const]),
  ]);
}
