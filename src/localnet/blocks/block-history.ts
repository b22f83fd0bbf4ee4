import { createHash } from 'node:crypto';
import { base58 } from '@scure/base';
import { CONFIG_INTEGERS } from '../../../generated/config.ts';
import type { Block, TransactionRecord } from '../model.ts';
import { RecentBlockhashes } from './recent-blockhashes.ts';
import { SlotRing } from './slot-ring.ts';
import { TransactionIndex } from './transaction-index.ts';

/** Limits of the history: the oldest block is dropped when either is exceeded. */
export type HistoryLimits = { readonly slots: number; readonly transactions: number };

/** The number of blocks that no limit drops: those that the status cache and the newest finalized bank need. */
export const MINIMUM_HISTORY_SLOTS = CONFIG_INTEGERS['localnet.history_slots'].minimum;

const NO_PARENT = base58.encode(new Uint8Array(32));
const ABSENT_SIGNATURE = new Uint8Array(64);

/**
 * The chain of blocks: one per slot, linked by blockhash(n) = SHA-256(blockhash(n-1), slot, signatures and results of
 * the block's transactions). Blocks, signatures and addresses leave together when history is full.
 */
export class BlockHistory {
  readonly #ring: SlotRing;
  readonly #limits: HistoryLimits;
  readonly index = new TransactionIndex();
  readonly blockhashes = new RecentBlockhashes();
  #open: TransactionRecord[] = [];
  #openSlot = 1n;
  #openTime: bigint;
  #first = 0n;
  #count = 0;

  constructor(limits: HistoryLimits, genesis: { readonly hash: Uint8Array; readonly time: bigint }) {
    this.#limits = { ...limits, slots: Math.max(limits.slots, MINIMUM_HISTORY_SLOTS) };
    this.#ring = new SlotRing(this.#limits.slots + 1);
    this.#ring.put(0n, {
      blockhash: genesis.hash,
      time: genesis.time,
      transactionCount: 0,
      transactions: [],
    });
    this.blockhashes.add(base58.encode(genesis.hash), 0n);
    this.#openTime = genesis.time;
  }

  /** The slot under construction. */
  get openSlot(): bigint {
    return this.#openSlot;
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

  /** Transactions in the open block so far. */
  get openTransactions(): readonly TransactionRecord[] {
    return this.#open;
  }

  /** Closes the open block and opens the next slot, whose clock shows `time` (Unix seconds, never going back). */
  close(time: bigint): void {
    const slot = this.#openSlot;
    this.#makeRoom();
    const blockhash = this.#nextHash();
    this.#ring.put(slot, {
      blockhash,
      time: this.#openTime,
      transactionCount: this.#count,
      transactions: this.#open,
    });
    this.blockhashes.add(base58.encode(blockhash), slot);
    this.#open = [];
    this.#openSlot = slot + 1n;
    this.#openTime = time > this.#openTime ? time : this.#openTime;
  }

  isClosed(slot: bigint): boolean {
    return slot >= this.#first && slot < this.#openSlot;
  }

  /** Returns a closed block that is still kept. */
  block(slot: bigint): Block | undefined {
    if (!this.isClosed(slot)) return undefined;
    const parentSlot = slot === 0n ? 0n : slot - 1n;
    return {
      slot,
      parentSlot,
      height: slot,
      blockhash: this.blockhash(slot),
      previousBlockhash: slot === 0n ? NO_PARENT : this.blockhash(parentSlot),
      time: this.time(slot),
      transactions: this.#ring.transactions(slot),
    };
  }

  /** Returns the base-58 blockhash of a closed slot; the slot below the oldest kept block still has one. */
  blockhash(slot: bigint): string {
    return this.#ring.blockhash(slot);
  }

  blockhashBytes(slot: bigint): Uint8Array {
    return this.#ring.blockhashBytes(slot);
  }

  /** Returns the Unix time in seconds of a slot, including the open one. */
  time(slot: bigint): bigint {
    return slot === this.#openSlot ? this.#openTime : this.#ring.time(slot);
  }

  transactions(slot: bigint): readonly TransactionRecord[] {
    return slot === this.#openSlot ? this.#open : this.#ring.transactions(slot);
  }

  /** Returns the number of transactions since genesis, up to and including a slot. */
  transactionCount(slot: bigint): number {
    return slot === this.#openSlot ? this.#count : this.#ring.transactionCount(slot);
  }

  /** Returns the latest slot whose blockhash the bank of `slot` knows: its own if closed, its parent's if open. */
  latestHashSlot(slot: bigint): bigint {
    return slot < this.#openSlot ? slot : this.#openSlot - 1n;
  }

  /** The ring has one more place than blocks are kept, so that the previous blockhash of the oldest is known. */
  #makeRoom(): void {
    const { slots, transactions } = this.#limits;
    const kept = (): bigint => this.#openSlot - this.#first;
    while (kept() >= slots) this.#dropFirst();
    while (this.index.size > transactions && kept() >= MINIMUM_HISTORY_SLOTS) this.#dropFirst();
  }

  #dropFirst(): void {
    this.index.dropOldest(this.#ring.transactions(this.#first));
    this.#ring.clear(this.#first);
    this.#first += 1n;
  }

  #nextHash(): Uint8Array {
    const slot = Buffer.alloc(8);
    slot.writeBigUInt64LE(this.#openSlot);
    const hash = createHash('sha256')
      .update(this.#ring.blockhashBytes(this.#openSlot - 1n))
      .update(slot);
    for (const { transaction, meta } of this.#open) {
      const signature = transaction.signatures[0];
      hash.update(signature === undefined ? ABSENT_SIGNATURE : base58.decode(signature));
      hash.update(JSON.stringify(meta.err));
    }
    return hash.digest();
  }
}
