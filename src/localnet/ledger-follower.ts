import type { Commitment } from './blocks/commitment.ts';
import type { LedgerSnapshot } from './ledger-snapshot.ts';
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

/** The ledger went to another state, in which these accounts may differ. They are found when they are read, each perhaps more than once. */
export type Jump = Advance & {
  readonly differing: Iterable<string>;
  /** Reads an account as it was at a commitment in the state that was left. Its answer holds within the call alone. */
  readonly before: (address: string, commitment: Commitment) => Account | undefined;
};

/** Receives the events of the ledger: within the call that causes them, when the ledger's answers show them already. */
export type LedgerFollower = {
  /** A transaction landed in the open slot, possibly with an error: it is processed. */
  readonly landed: (record: TransactionRecord) => void;
  /** A tick. Every slot is closed once and finalized once, ascending. */
  readonly advanced: (advance: Advance) => void;
  /** A restore. The slots go on from there: some are closed and finalized again, with other content. */
  readonly jumped?: (jump: Jump) => void;
};

/** Keeps a ledger on disk. */
export type LedgerKeeper = {
  /** Keeps a slot that was just closed: nothing is written in the next one yet. */
  readonly append: (closed: SlotChanges) => void;
  /** Keeps a state to which the ledger is about to go, in the place of what was kept. */
  readonly branch: (state: LedgerSnapshot) => void;
  /** Returns the slots of which there are snapshots of all accounts, newest first. */
  readonly snapshotSlots: () => readonly bigint[];
};
