import type { TransactionRecord } from './model.ts';

/** A slot that reached a level, with the addresses of the accounts written in it, each once. */
export type SlotChanges = { readonly slot: bigint; readonly written: readonly string[] };

/** The effect of a tick: a slot was closed and is confirmed now, another one finalized, and the next one opened. */
export type Advance = {
  readonly closed: SlotChanges;
  readonly finalized: SlotChanges;
  readonly openSlot: bigint;
  /** Time in milliseconds since 1970. */
  readonly timeMs: number;
};

/** Receives the events of the ledger: within the call that causes them, when the ledger's answers show them already. */
export type LedgerFollower = {
  /** A transaction landed in the open slot, possibly with an error: it is processed. */
  readonly landed: (record: TransactionRecord) => void;
  /** A tick. Every slot is closed once and finalized once, ascending. */
  readonly advanced: (advance: Advance) => void;
};
