import type { TransactionRecord } from './model.ts';

/** A slot that reached a level, with the addresses of the accounts that were written in it, each once. */
export type SlotChanges = { readonly slot: bigint; readonly written: readonly string[] };

/** What a tick did: a slot was closed and is confirmed now, another one finalized, and the next one opened. */
export type Advance = {
  readonly closed: SlotChanges;
  readonly finalized: SlotChanges;
  readonly openSlot: bigint;
  /** When: milliseconds since 1970. */
  readonly timeMs: number;
};

/** Who is told what happens on the ledger: within the call that does it, when the ledger's answers show it already. */
export type LedgerFollower = {
  /** A transaction landed in the open slot, perhaps with an error: it is processed. */
  readonly landed: (record: TransactionRecord) => void;
  /** A tick. Every slot is closed once and finalized once, ascending. */
  readonly advanced: (advance: Advance) => void;
};
