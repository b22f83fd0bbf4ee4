import { decodeTransaction } from '../../core/wire/decode-transaction.ts';
import type { BlockRewards, TransactionMeta, TransactionRecord } from '../model.ts';
import { type BlockState, heightOf, tipOf, SkippedSlots } from './block-state.ts';
import { RecentBlockhashes } from './recent-blockhashes.ts';
import { SlotRing } from './slot-ring.ts';

/** A transaction of a block, as bytes. */
type SavedTransaction = { readonly wire: Uint8Array; readonly meta: TransactionMeta };

/** A chain without its ledger. Blocks by height, from the one before the oldest that can be read; times in Unix seconds. */
export type SavedBlocks = Omit<BlockState, 'ring' | 'skipped' | 'blockhashes' | 'open'> & {
  readonly gaps: ReturnType<SkippedSlots['all']>;
  readonly blockhashes: ReturnType<RecentBlockhashes['all']>;
  readonly firstHeight: bigint;
  readonly closed: readonly {
    readonly blockhash: Uint8Array;
    readonly time: bigint;
    readonly transactionCount: number;
    readonly transactions: readonly SavedTransaction[];
    readonly rewards?: BlockRewards | undefined;
  }[];
  readonly open: readonly SavedTransaction[];
};

/** Returns a chain without its ledger. */
export function saveBlocks(state: BlockState): SavedBlocks {
  const { ring, skipped, blockhashes, open, ...rest } = state;
  const oldest = heightOf(state, state.first);
  const firstHeight = state.first === state.firstOfChain ? oldest : oldest - 1n;
  const closed = Array.from({ length: Number(tipOf(state) - firstHeight) + 1 }, (_, index) => {
    const height = firstHeight + BigInt(index);
    return {
      blockhash: Uint8Array.from(ring.blockhashBytes(height)),
      time: ring.time(height),
      transactionCount: ring.transactionCount(height),
      transactions: ring.transactions(height).map(saved),
      rewards: ring.rewards(height),
    };
  });
  return {
    ...rest,
    gaps: skipped.all(),
    blockhashes: blockhashes.all(),
    firstHeight,
    closed,
    open: open.map(saved),
  };
}

/** Returns a chain for a history of this many blocks: the newest ones, if there are more. */
export function loadBlocks(blocks: SavedBlocks, keptBlocks: number): BlockState {
  const { gaps, blockhashes, firstHeight, closed, open, ...rest } = blocks;
  const skipped = new SkippedSlots(gaps);
  const ring = new SlotRing(keptBlocks + 1);
  const dropped = Math.max(0, closed.length - keptBlocks - 1);
  const recordsOf = (slot: bigint, list: readonly SavedTransaction[]): readonly TransactionRecord[] =>
    list.map(({ wire, meta }, index) => ({
      slot,
      index,
      meta,
      transaction: decodeTransaction(Buffer.from(wire)),
    }));
  for (const [index, { transactions, ...block }] of closed.entries()) {
    if (index < dropped) continue;
    const height = firstHeight + BigInt(index);
    const slot = skipped.slotAt(height);
    ring.put(height, { ...block, transactions: recordsOf(slot, transactions) });
  }
  const first = dropped === 0 ? rest.first : skipped.slotAt(firstHeight + BigInt(dropped) + 1n);
  return {
    ...rest,
    ring,
    skipped,
    blockhashes: new RecentBlockhashes(blockhashes),
    first,
    open: recordsOf(rest.openSlot, open),
  };
}

function saved({ transaction, meta }: TransactionRecord): SavedTransaction {
  return { wire: Uint8Array.from(transaction.wire), meta };
}
