import type { Commitment } from './blocks/commitment.ts';
import type { LedgerSnapshot } from './ledger-state.ts';
import type { Account, TransactionRecord } from './model.ts';

/** A slot that reached a level, with the addresses of the accounts written in it, each once. */
export type SlotChanges = { readonly slot: bigint; readonly written: readonly string[] };

/** A slot that is opened at a time in milliseconds since 1970. */
export type OpenedSlot = { readonly slot: bigint; readonly timeMs: number };

/** The effect of a tick: a slot was closed and is confirmed now, another one finalized, and the next one opened. */
export type Advance = {
  readonly closed: SlotChanges;
  readonly finalized: SlotChanges;
  readonly openSlot: bigint;
  /** Time in milliseconds since 1970. */
  readonly timeMs: number;
};

/** The ledger went to another state, in which these accounts may differ. The addresses are computed when read, and may repeat. */
export type Jump = Advance & {
  readonly differing: Iterable<string>;
  /** Reads an account at a commitment in the previous state. Valid only during the call. */
  readonly before: (address: string, commitment: Commitment) => Account | undefined;
};

/** Receives the events of the ledger, within the call that causes them, when the ledger's answers already show them. */
export type LedgerFollower = {
  /** A transaction landed in the open slot, possibly with an error: it is processed. */
  readonly landed: (record: TransactionRecord) => void;
  /** A tick. Every slot is closed once and finalized once, in ascending order. */
  readonly advanced: (advance: Advance) => void;
  /** A restore. The slots continue from there: some are closed and finalized again, with other content. */
  readonly jumped?: (jump: Jump) => void;
};

/** Keeps a ledger on disk. */
export type LedgerKeeper = {
  /** Writes a slot that was just closed, before anything is written in the next one. */
  readonly append: (closed: SlotChanges) => void;
  /** Stores the state that the ledger is about to go to, in place of the current one. */
  readonly branch: (state: LedgerSnapshot) => void;
  /** Returns the slots of which there are snapshots of all accounts, newest first. */
  readonly snapshotSlots: () => readonly bigint[];
};
