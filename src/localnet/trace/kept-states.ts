import type { Account, TransactionRecord } from '../model.ts';
import type { AccountChange } from './traced-accounts.ts';

export type KeptLimits = { readonly transactions: number; readonly bytes: number };

const LIMITS: KeptLimits = { transactions: 10_000, bytes: 64 * 1024 * 1024 };
/** Approximate size of an account without its data. */
const ACCOUNT_BYTES = 256;

type Kept = { readonly changes: ReadonlyMap<string, AccountChange>; readonly bytes: number };

/**
 * The accounts of the newest transactions before and after each; older ones have none. They are found by the transaction record, which is
 * the same in every branch that has it.
 */
export class KeptStates {
  readonly #isLeftOut: (record: TransactionRecord) => boolean;
  readonly #limits: KeptLimits;
  readonly #kept = new Map<TransactionRecord, Kept>();
  #bytes = 0;

  constructor(isLeftOut: (record: TransactionRecord) => boolean, limits: KeptLimits = LIMITS) {
    this.#isLeftOut = isLeftOut;
    this.#limits = limits;
  }

  /** Number of transactions, and the size of their accounts in bytes. */
  get size(): KeptLimits {
    return { transactions: this.#kept.size, bytes: this.#bytes };
  }

  find(record: TransactionRecord): ReadonlyMap<string, AccountChange> | undefined {
    return this.#kept.get(record)?.changes;
  }

  /** Keeps the states of a transaction. The oldest are dropped where there are too many. */
  keep(record: TransactionRecord, states: ReadonlyMap<string, AccountChange>): void {
    if (this.#isLeftOut(record)) return;
    const changes = new Map(Array.from(states, ([address, change]) => [address, shared(change)]));
    const bytes = changes.values().reduce((sum, change) => sum + sizeOf(change), 0);
    this.#kept.set(record, { changes, bytes });
    this.#bytes += bytes;
    for (const [oldest, each] of this.#kept) {
      if (this.#kept.size <= this.#limits.transactions && this.#bytes <= this.#limits.bytes) break;
      this.#kept.delete(oldest);
      this.#bytes -= each.bytes;
    }
  }
}

/** The runtime returns unchanged accounts as new objects: each is stored once. */
function shared({ before, after }: AccountChange): AccountChange {
  if (before === undefined || after === undefined) return { before, after };
  if (Buffer.compare(before.data, after.data) !== 0) return { before, after };
  return { before, after: { ...after, data: before.data } };
}

/** States may share accounts, but the limit counts each state alone, so one may be dropped early. */
function sizeOf({ before, after }: AccountChange): number {
  const isShared = before?.data === after?.data;
  return dataSize(before) + (isShared ? 0 : dataSize(after)) + 2 * ACCOUNT_BYTES;
}

function dataSize(account: Account | undefined): number {
  return account?.data.length ?? 0;
}
