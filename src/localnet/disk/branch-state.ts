import type { SavedAccounts } from '../accounts/saved-accounts.ts';
import { type BlockState, heightOf, tipOf } from '../blocks/block-state.ts';
import type { EpochSchedule } from '../epoch/epoch.ts';
import type { AccountChange } from './account-bytes.ts';
import type { ChainBase } from './chain-base.ts';
import type { SlotRecord } from './slot-record.ts';

/** A state of a ledger, and what its files are made of. */
export type BranchSource = {
  readonly blocks: BlockState;
  readonly accounts: SavedAccounts;
  readonly epochTimes: ReadonlyMap<bigint, bigint>;
  readonly epochs: EpochSchedule;
  readonly finalitySlots: bigint;
};

/** A state as it is written: accounts at the end of the newest finalized slot, all blocks, and what changed in the slots after that one. */
export type BranchState = {
  /** Heights of the block before the first that is kept, of the newest finalized one, and of the newest. */
  readonly heights: { readonly base: bigint; readonly finalized: bigint; readonly tip: bigint };
  readonly baseAt: (height: bigint) => ChainBase;
  readonly recordAt: (height: bigint) => SlotRecord;
  readonly finalizedAccounts: readonly AccountChange[];
};

/** Takes a state apart for its files. What is in its open slot is not part of them. */
export function branchState({
  blocks,
  accounts,
  epochTimes,
  epochs,
  finalitySlots,
}: BranchSource): BranchState {
  const { ring, skipped, first, firstOfChain } = blocks;
  const [oldest, tip] = [heightOf(blocks, first), tipOf(blocks)];
  const base = first === firstOfChain ? oldest : oldest - 1n;
  const finalized = tip - finalitySlots > base ? tip - finalitySlots : base;
  const changes = accounts.changes.toSorted((a, b) => Number(a.slot - b.slot));
  const byAddress = Map.groupBy(changes, ({ address }) => address);
  const current = new Map(accounts.current.map(({ address, account }) => [address, account]));
  const atEndOf = (slot: bigint, address: string): AccountChange => {
    const next = byAddress.get(address)?.find((change) => change.slot > slot);
    return { address, account: next === undefined ? current.get(address) : next.account };
  };
  const bySlot = Map.groupBy(changes, ({ slot }) => slot);
  const blockAt = (height: bigint) => ({
    ...{ slot: skipped.slotAt(height), blockhash: ring.blockhashBytes(height), time: ring.time(height) },
    transactionCount: ring.transactionCount(height),
  });
  const lastFinalized = skipped.slotAt(finalized);
  return {
    heights: { base, finalized, tip },
    baseAt: (height) => {
      const block = blockAt(height);
      return { ...block, epochStart: epochTimes.get(epochs.epochOf(block.slot)) ?? 0n };
    },
    recordAt: (height) => {
      const block = blockAt(height);
      const written = bySlot.get(block.slot) ?? [];
      return {
        ...{ ...block, transactions: ring.transactions(height), rewards: ring.rewards(height) },
        accounts: written.map(({ address }) => atEndOf(block.slot, address)),
      };
    },
    finalizedAccounts: Array.from(new Set([...current.keys(), ...byAddress.keys()]), (address) =>
      atEndOf(lastFinalized, address),
    ),
  };
}
