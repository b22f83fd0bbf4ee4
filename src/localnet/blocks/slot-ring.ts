import { base58 } from '@scure/base';
import type { BlockRewards, TransactionRecord } from '../model.ts';

const NO_TRANSACTIONS: readonly TransactionRecord[] = [];
const HASH_BYTES = 32;
/** Number of slots that are stored, and copied, together. */
const CHUNK_SLOTS = 1_024;

/** The stored data of a closed slot. `transactionCount` counts from genesis, including this slot. */
export type ClosedSlot = {
  readonly blockhash: Uint8Array;
  /** Unix time in seconds. */
  readonly time: bigint;
  readonly transactionCount: number;
  readonly transactions: readonly TransactionRecord[];
  readonly rewards?: BlockRewards | undefined;
};

/** Consecutive positions of a ring. Only the owning ring writes to it. */
type Chunk = {
  readonly owner: object;
  readonly hashes: Uint8Array;
  readonly times: BigInt64Array;
  readonly counts: Float64Array;
  readonly transactions: (readonly TransactionRecord[])[];
  /** Rewards by position, for the few slots that have some. */
  readonly rewards: Map<number, BlockRewards>;
};

/**
 * Closed slots in a ring of fixed length, by block height: 48 bytes a slot, plus its transactions. A copy shares the parts that neither
 * changes.
 */
export class SlotRing {
  readonly #length: number;
  readonly #chunks: Chunk[];
  #owner = {};

  constructor(length: number, chunks: readonly Chunk[] = []) {
    this.#length = length;
    this.#chunks = [...chunks];
  }

  /** Returns a ring with the same content. */
  copy(): SlotRing {
    this.#owner = {};
    return new SlotRing(this.#length, this.#chunks);
  }

  put(height: bigint, closed: ClosedSlot): void {
    const { chunk, at } = this.#ownPlace(height);
    chunk.hashes.set(closed.blockhash, at * HASH_BYTES);
    chunk.times[at] = closed.time;
    chunk.counts[at] = closed.transactionCount;
    chunk.transactions[at] = closed.transactions.length === 0 ? NO_TRANSACTIONS : closed.transactions;
    if (closed.rewards === undefined) chunk.rewards.delete(at);
    else chunk.rewards.set(at, closed.rewards);
  }

  blockhashBytes(height: bigint): Uint8Array {
    const { chunk, at } = this.#place(height);
    return chunk.hashes.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES);
  }

  blockhash(height: bigint): string {
    return base58.encode(this.blockhashBytes(height));
  }

  time(height: bigint): bigint {
    const { chunk, at } = this.#place(height);
    return chunk.times[at] ?? 0n;
  }

  transactionCount(height: bigint): number {
    const { chunk, at } = this.#place(height);
    return chunk.counts[at] ?? 0;
  }

  transactions(height: bigint): readonly TransactionRecord[] {
    const { chunk, at } = this.#place(height);
    return chunk.transactions[at] ?? NO_TRANSACTIONS;
  }

  rewards(height: bigint): BlockRewards | undefined {
    const { chunk, at } = this.#place(height);
    return chunk.rewards.get(at);
  }

  /** Drops the rewards that a slot left due, once the next slot has paid them. */
  settle(height: bigint): void {
    const rewards = this.rewards(height);
    if (rewards?.due === undefined || rewards.due.length === 0) return;
    const { chunk, at } = this.#ownPlace(height);
    chunk.rewards.set(at, { ...rewards, due: [] });
  }

  /** Drops the transactions and rewards of a slot, so that their memory can be reclaimed before the place is reused. */
  clear(height: bigint): void {
    const { chunk, at } = this.#ownPlace(height);
    chunk.transactions[at] = NO_TRANSACTIONS;
    chunk.rewards.delete(at);
  }

  #place(height: bigint): { readonly chunk: Chunk; readonly at: number } {
    const place = Number(height % BigInt(this.#length));
    return { chunk: this.#chunks[Math.floor(place / CHUNK_SLOTS)] ?? EMPTY, at: place % CHUNK_SLOTS };
  }

  #ownPlace(height: bigint): { readonly chunk: Chunk; readonly at: number } {
    const { chunk, at } = this.#place(height);
    if (chunk.owner === this.#owner) return { chunk, at };
    const own: Chunk = {
      owner: this.#owner,
      hashes: chunk.hashes.slice(),
      times: chunk.times.slice(),
      counts: chunk.counts.slice(),
      transactions: chunk.transactions.slice(),
      rewards: new Map(chunk.rewards),
    };
    const place = Number(height % BigInt(this.#length));
    this.#chunks[Math.floor(place / CHUNK_SLOTS)] = own;
    return { chunk: own, at };
  }
}

const EMPTY: Chunk = {
  owner: {},
  hashes: new Uint8Array(CHUNK_SLOTS * HASH_BYTES),
  times: new BigInt64Array(CHUNK_SLOTS),
  counts: new Float64Array(CHUNK_SLOTS),
  transactions: new Array<readonly TransactionRecord[]>(CHUNK_SLOTS).fill(NO_TRANSACTIONS),
  rewards: new Map(),
};
