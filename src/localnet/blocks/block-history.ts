import { randomInt, createHash } from 'node:crypto';
import { base58 } from '@scure/base';
import { CONFIG_INTEGERS } from '../../../generated/config.ts';
import type { Block, BlockRewards, TransactionRecord } from '../model.ts';
import { isVote } from '../validator/is-vote.ts';
import { type BlockState, reindex, SkippedSlots } from './block-state.ts';
import { RecentBlockhashes } from './recent-blockhashes.ts';
import { SlotRing } from './slot-ring.ts';
import { TransactionIndex } from './transaction-index.ts';

/** The number of blocks that no limit drops: those that the status cache and the newest finalized bank need. */
export const MINIMUM_HISTORY_SLOTS = CONFIG_INTEGERS['localnet.history_slots'].minimum;

const NO_PARENT = base58.encode(new Uint8Array(32));

/**
 * The chain of blocks: one per slot that is not skipped, linked by blockhash(n) = SHA-256(blockhash of the parent, slot, signatures and results of
 * the block's transactions). Blocks, signatures and addresses leave together when history is full.
 */
export class BlockHistory {
  #ring: SlotRing;
  readonly #limits: HistoryLimits;
  #skipped = new SkippedSlots();
  readonly index = new TransactionIndex();
  #blockhashes = new RecentBlockhashes();
  #voteCount = 0;
  #open: TransactionRecord[] = [];
  #openRewards: BlockRewards | undefined;
  #openSlot: bigint;
  #openTime: bigint;
  #firstOfChain: bigint | undefined;
  #first: bigint;
  #count = 0;
  #branches = BigInt(randomInt(2 ** 47));
  /** Makes the next block differ from the same block of another branch or process. */
  #salt: bigint | undefined;

  constructor(limits: HistoryLimits, genesis: FirstBlock) {
    this.#limits = { ...limits, slots: Math.max(limits.slots, MINIMUM_HISTORY_SLOTS) };
    this.#ring = new SlotRing(this.#limits.slots + 1);
    const { isPurged = false, transactionCount = 0 } = genesis;
    this.#firstOfChain = isPurged ? undefined : genesis.slot;
    this.#first = isPurged ? genesis.slot + 1n : genesis.slot;
    this.#count = transactionCount;
    this.#openSlot = genesis.slot + 1n;
    const { hash: blockhash, time } = genesis;
    this.#ring.put(this.#place(genesis.slot), { blockhash, time, transactionCount, transactions: [] });
    this.#blockhashes.add(base58.encode(genesis.hash), genesis.slot);
    this.#openTime = time;
  }

  /** The slot under construction. */
  get openSlot(): bigint {
    return this.#openSlot;
  }

  get blockhashes(): Omit<RecentBlockhashes, 'add'> {
    return this.#blockhashes;
  }

  /** Captures the current state; parts shared with later states are stored once. */
  take(): BlockState {
    return {
      ring: this.#ring.copy(),
      skipped: this.#skipped.copy(),
      blockhashes: this.#blockhashes.copy(),
      open: [...this.#open],
      openRewards: this.#openRewards,
      openSlot: this.#openSlot,
      openTime: this.#openTime,
      first: this.#first,
      firstOfChain: this.#firstOfChain,
      count: this.#count,
      voteCount: this.#voteCount,
    };
  }

  /** Goes to a captured state. Blocks closed after it have other hashes than those of any other branch. */
  goTo(state: BlockState): void {
    reindex(this.index, this.take(), state);
    this.#ring = state.ring.copy();
    this.#skipped = state.skipped.copy();
    this.#blockhashes = state.blockhashes.copy();
    this.#open = [...state.open];
    this.#openRewards = state.openRewards;
    this.#openSlot = state.openSlot;
    this.#openTime = state.openTime;
    this.#first = state.first;
    this.#firstOfChain = state.firstOfChain;
    this.#count = state.count;
    this.#voteCount = state.voteCount;
    this.#branches += 1n;
    this.#salt = this.#branches;
  }

  /** The most blocks that are kept. */
  get keptBlocks(): number {
    return this.#limits.slots;
  }

  /** The oldest slot with a block. */
  get firstAvailable(): bigint {
    return this.#first;
  }

  /** Adds a transaction to the open block. */
  append(record: TransactionRecord): void {
    this.#open.push(record);
    this.index.add(record);
    this.#count += 1;
  }

  /** Sets the rewards of the open block. */
  reward(rewards: BlockRewards): void {
    this.#openRewards = rewards;
  }

  /** Votes in the closed slots that this process has seen. */
  get voteCount(): number {
    return this.#voteCount;
  }

  /** Transactions in the open block so far. */
  get openTransactions(): readonly TransactionRecord[] {
    return this.#open;
  }

  /** Closes the open block and opens the next slot, whose clock shows `time` (Unix seconds, never going back). */
  close(time: bigint): void {
    const parent = this.#ring.blockhashBytes(this.#place(this.#skipped.parentOf(this.#openSlot)));
    this.#close(time, nextBlockhash({ parent, slot: this.#openSlot, records: this.#open, salt: this.#salt }));
  }

  #close(time: bigint, blockhash: Uint8Array): void {
    const slot = this.#openSlot;
    this.#makeRoom();
    this.#salt = undefined;
    this.#ring.settle(this.#place(this.#skipped.parentOf(slot)));
    this.#ring.put(this.#place(slot), {
      blockhash,
      time: this.#openTime,
      transactionCount: this.#count,
      transactions: this.#open,
      rewards: this.#openRewards,
    });
    this.#blockhashes.add(base58.encode(blockhash), slot);
    this.#voteCount += this.#open.filter(({ transaction }) => isVote(transaction)).length;
    this.#open = [];
    this.#openRewards = undefined;
    this.#openSlot = slot + 1n;
    this.#openTime = time > this.#openTime ? time : this.#openTime;
  }

  /**
   * Opens a later slot instead of the open one, which must be empty: those between have no block. The clock shows `time` (Unix seconds, never
   * going back).
   */
  skipTo(slot: bigint, time: bigint): void {
    this.#skipped.skip(this.#openSlot, slot);
    this.#openSlot = slot;
    this.#openTime = time > this.#openTime ? time : this.#openTime;
  }

  /** Closes a slot that was closed before: the open one, with its own time and its transactions. */
  replay({ time, blockhash, transactions, rewards, transactionCount }: ReplayedSlot): void {
    this.#openTime = time;
    this.#openRewards = rewards;
    for (const record of transactions) this.append(record);
    this.#count = transactionCount;
    this.#close(time, blockhash);
    this.#salt = this.#branches;
  }

  isClosed(slot: bigint): boolean {
    return slot >= this.#first && slot < this.#openSlot && !this.#skipped.has(slot);
  }

  /** The slots that have no block. */
  get skipped(): Omit<SkippedSlots, 'skip'> {
    return this.#skipped;
  }

  /** Returns the height of the block of a slot, which is lower than the slot by as many as were skipped. */
  height(slot: bigint): bigint {
    return slot - this.#skipped.before(slot);
  }

  /** Returns the slot of the block this many blocks before a slot, which may be open. */
  ancestor(slot: bigint, distance: bigint): bigint {
    return this.#skipped.slotAt(this.height(slot) - distance);
  }

  /** Yields the slots of the newest blocks below a slot that are kept, newest first. */
  *ancestors(slot: bigint, most: bigint): Generator<bigint> {
    let each = slot;
    for (let count = 0n; count < most && each > this.#first; count++) {
      each = this.#skipped.parentOf(each);
      yield each;
    }
  }

  /** Returns a closed block that is still kept. */
  block(slot: bigint): Block | undefined {
    if (!this.isClosed(slot)) return undefined;
    const parentSlot = slot === 0n ? 0n : this.#skipped.parentOf(slot);
    return {
      slot,
      parentSlot,
      height: this.height(slot),
      blockhash: this.blockhash(slot),
      previousBlockhash: slot === this.#firstOfChain ? NO_PARENT : this.blockhash(parentSlot),
      time: this.time(slot),
      transactions: this.transactions(slot),
      rewards: this.rewards(slot),
    };
  }

  /** Returns the base-58 blockhash of a closed slot; the slot below the oldest kept block still has one. */
  blockhash(slot: bigint): string {
    return this.#ring.blockhash(this.#place(slot));
  }

  blockhashBytes(slot: bigint): Uint8Array {
    return this.#ring.blockhashBytes(this.#place(slot));
  }

  /** Returns the Unix time in seconds of a slot, including the open one. */
  time(slot: bigint): bigint {
    return slot === this.#openSlot ? this.#openTime : this.#ring.time(this.#place(slot));
  }

  transactions(slot: bigint): readonly TransactionRecord[] {
    return slot === this.#openSlot ? this.#open : this.#ring.transactions(this.#place(slot));
  }

  /** Returns the rewards of a closed slot. */
  rewards(slot: bigint): BlockRewards | undefined {
    return this.#ring.rewards(this.#place(slot));
  }

  /** Returns the number of transactions since genesis, up to and including a slot. */
  transactionCount(slot: bigint): number {
    return slot === this.#openSlot ? this.#count : this.#ring.transactionCount(this.#place(slot));
  }

  /** Returns the latest slot whose blockhash the bank of `slot` knows: its own if closed, its parent's if open. */
  latestHashSlot(slot: bigint): bigint {
    return slot < this.#openSlot ? slot : this.#skipped.parentOf(slot);
  }

  /** The ring has one more place than blocks are kept, so that the previous blockhash of the oldest is known. */
  #makeRoom(): void {
    const { slots, transactions } = this.#limits;
    const kept = (): bigint => this.height(this.#openSlot) - this.height(this.#first);
    while (kept() >= slots) this.#dropFirst();
    while (this.index.size > transactions && kept() >= MINIMUM_HISTORY_SLOTS) this.#dropFirst();
  }

  #dropFirst(): void {
    const place = this.#place(this.#first);
    this.index.dropOldest(this.#ring.transactions(place));
    this.#ring.clear(place);
    this.#first = this.#skipped.slotAt(place + 1n);
  }

  /** Blocks lie in the ring without holes. */
  #place(slot: bigint): bigint {
    return this.height(slot);
  }
}

const ABSENT_SIGNATURE = new Uint8Array(64);

/** The input of a blockhash. */
type BlockParts = {
  /** The hash of the previous block. */
  readonly parent: Uint8Array;
  readonly slot: bigint;
  readonly records: readonly TransactionRecord[];
  /** Set: the block differs from one with the same parts in another branch. */
  readonly salt: bigint | undefined;
};

/** Returns the hash of a block: SHA-256 of its parent's, its slot, and the signatures and results of its transactions. */
function nextBlockhash({ parent, slot, records, salt }: BlockParts): Uint8Array {
  const hash = createHash('sha256').update(parent).update(u64(slot));
  if (salt !== undefined) hash.update(u64(salt));
  for (const { transaction, meta } of records) {
    const signature = transaction.signatures[0];
    hash.update(signature === undefined ? ABSENT_SIGNATURE : base58.decode(signature));
    hash.update(JSON.stringify(meta.err));
  }
  return hash.digest();
}

function u64(value: bigint): Uint8Array {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return bytes;
}

/** Limits of the history: the oldest block is dropped when either is exceeded. */
export type HistoryLimits = { readonly slots: number; readonly transactions: number };

/** The block on which a chain is built; for a new chain, the genesis. Time in Unix seconds. */
type FirstBlock = {
  readonly slot: bigint;
  readonly hash: Uint8Array;
  readonly time: bigint;
  /** Since genesis, including this slot; absent: none. */
  readonly transactionCount?: number;
  /** Only its hash is known: the next block is the first that can be read. */
  readonly isPurged?: boolean;
};

/** A slot that was closed before. Time in Unix seconds. */
type ReplayedSlot = {
  readonly time: bigint;
  readonly blockhash: Uint8Array;
  readonly transactions: readonly TransactionRecord[];
  readonly rewards: BlockRewards | undefined;
  /** Since genesis, including this slot. */
  readonly transactionCount: number;
};
