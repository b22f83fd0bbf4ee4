import type { DerivedData } from './account-store.ts';
import type { BlockHistory } from '../blocks/block-history.ts';
import {
  SYSVAR_CLOCK,
  SYSVAR_RECENT_BLOCKHASHES,
  SYSVAR_SLOT_HASHES,
  SYSVAR_SLOT_HISTORY,
} from '../addresses/sysvar-addresses.ts';
import { epochOf } from '../epoch/epoch.ts';
import type { EpochTimes } from '../epoch/epoch-times.ts';
import type { Genesis } from '../genesis/genesis.ts';
import { clockData } from '../sysvars/clock.ts';
import { recentBlockhashesData } from '../sysvars/recent-blockhashes.ts';
import { slotHashesData } from '../sysvars/slot-hashes.ts';
import { slotHistoryData } from '../sysvars/slot-history.ts';
import { voteAccountData } from '../validator/vote-state.ts';

/** The accounts whose data changes with every slot, with the function from slot and chain to data. */
export function derivedAccounts(
  blocks: BlockHistory,
  epochs: EpochTimes,
  genesis: Genesis,
): ReadonlyMap<string, DerivedData> {
  return new Map<string, DerivedData>([
    [SYSVAR_CLOCK, (slot) => clockData(slot, blocks.time(slot), epochs.start(epochOf(slot)))],
    [SYSVAR_SLOT_HASHES, (slot) => slotHashesData(blocks, slot)],
    [SYSVAR_RECENT_BLOCKHASHES, (slot) => recentBlockhashesData(blocks, slot)],
    [SYSVAR_SLOT_HISTORY, (slot) => slotHistoryData(slot)],
    [
      genesis.voteAddress,
      (slot) =>
        voteAccountData(
          genesis.identity.address,
          genesis.voteAddress,
          slot,
          blocks.time(slot === 0n ? 0n : slot - 1n),
        ),
    ],
  ]);
}
