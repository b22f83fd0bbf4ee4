import type { TransactionError } from '../../../generated/ledger/types.ts';
import type { Commitment } from '../blocks/commitment.ts';
import type { Advance } from '../ledger-follower.ts';
import type { Account, Block, KeyedAccount, TransactionRecord } from '../model.ts';

/** Something is told when its slot reaches this level. */
type AtLevel = { readonly commitment: Commitment };

/** Told at every tick: any number of results, in order. */
export type SlotWatch<R = unknown> = {
  readonly kind: 'slot';
  readonly tell: (advance: Advance) => readonly R[];
};

/** Told once for a slot in which the account was written; undefined: it is gone. */
export type AccountWatch<R = unknown> = AtLevel & {
  readonly kind: 'account';
  readonly address: string;
  readonly tell: (account: Account | undefined, slot: bigint) => R;
};

/** Told once for every account that was written in a slot and belongs to the program at its end. */
export type ProgramWatch<R = unknown> = AtLevel & {
  readonly kind: 'program';
  readonly program: string;
  /** Undefined: it is not one of those asked for. */
  readonly tell: (changed: KeyedAccount, slot: bigint) => R | undefined;
};

/** Told for every transaction, or for those that name an address, in the order of the block. */
export type TransactionWatch<R = unknown> = AtLevel & {
  readonly kind: 'transaction';
  readonly mention: string | undefined;
  /** Undefined: it is not one of those asked for. */
  readonly tell: (record: TransactionRecord) => R | undefined;
};

/** Told for every block, or for those with a transaction that names an address: any number of results, in order. */
export type BlockWatch<R = unknown> = AtLevel & {
  readonly kind: 'block';
  readonly mention: string | undefined;
  readonly tell: (block: Block) => readonly R[];
  /** What is told with a block that is not one of those. */
  readonly tellAgain: () => readonly R[];
};

/** Told once that a transaction has reached the level, which ends it. */
export type SignatureWatch<R = unknown> = AtLevel & {
  readonly kind: 'signature';
  readonly signature: string;
  /** What is told when the transaction lands, if that is asked for. */
  readonly tellReceipt?: ((slot: bigint) => R) | undefined;
  readonly tell: (err: TransactionError | null, slot: bigint) => R;
};

/** What a subscription waits for, and what it tells then: `params.result` of its notifications. */
export type Watch<R = unknown> =
  | SlotWatch<R>
  | AccountWatch<R>
  | ProgramWatch<R>
  | TransactionWatch<R>
  | BlockWatch<R>
  | SignatureWatch<R>;
