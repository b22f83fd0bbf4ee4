import { base58 } from '@scure/base';
import type { TransactionRecord } from '../model.ts';

const NO_TRANSACTIONS: readonly TransactionRecord[] = [];
const HASH_BYTES = 32;

/** The stored data of a closed slot. `transactionCount` counts from genesis, including this slot. */
export type ClosedSlot = {
  readonly blockhash: Uint8Array;
  /** Unix time in seconds. */
  readonly time: bigint;
  readonly transactionCount: number;
  readonly transactions: readonly TransactionRecord[];
};

/** Closed slots in a ring of fixed length: 48 bytes a slot, and its transactions. */
export class SlotRing {
  readonly #length: number;
  readonly #hashes: Uint8Array;
  readonly #times: BigInt64Array;
  readonly #counts: Float64Array;
  readonly #transactions: (readonly TransactionRecord[])[];

  constructor(length: number) {
    this.#length = length;
    this.#hashes = new Uint8Array(length * HASH_BYTES);
    this.#times = new BigInt64Array(length);
    this.#counts = new Float64Array(length);
    this.#transactions = new Array<readonly TransactionRecord[]>(length).fill(NO_TRANSACTIONS);
  }

  put(slot: bigint, closed: ClosedSlot): void {
    const place = this.#place(slot);
    this.#hashes.set(closed.blockhash, place * HASH_BYTES);
    this.#times[place] = closed.time;
    this.#counts[place] = closed.transactionCount;
    this.#transactions[place] = closed.transactions.length === 0 ? NO_TRANSACTIONS : closed.transactions;
  }

  blockhashBytes(slot: bigint): Uint8Array {
    const start = this.#place(slot) * HASH_BYTES;
    return this.#hashes.subarray(start, start + HASH_BYTES);
  }

  blockhash(slot: bigint): string {
    return base58.encode(this.blockhashBytes(slot));
  }

  time(slot: bigint): bigint {
    return this.#times[this.#place(slot)] ?? 0n;
  }

  transactionCount(slot: bigint): number {
    return this.#counts[this.#place(slot)] ?? 0;
  }

  transactions(slot: bigint): readonly TransactionRecord[] {
    return this.#transactions[this.#place(slot)] ?? NO_TRANSACTIONS;
  }

  /** Drops the transactions of a slot, so that their memory can be reclaimed before the place is reused. */
  clear(slot: bigint): void {
    this.#transactions[this.#place(slot)] = NO_TRANSACTIONS;
  }

  #place(slot: bigint): number {
    return Number(slot % BigInt(this.#length));
  }
}
