import type { SubscriptionName } from '../../../generated/ledger/subscriptions.ts';
import type {
  SubscriptionNotifications,
  SubscriptionParams,
  TransactionError,
} from '../../../generated/ledger/types.ts';
import type { Ledger } from '../ledger.ts';
import type { Commitment } from '../blocks/commitment.ts';
import type { Advance } from '../ledger-follower.ts';
import type { Account, Block, KeyedAccount, TransactionRecord } from '../model.ts';

/** The result of a subscribe call. Calls with the same `key` share one subscription. */
export type Subscribed<R = unknown> = {
  /** The meaning of the params, defaults filled in; has a JSON form. */
  readonly key: readonly unknown[];
  readonly watch: Watch<R>;
};

/** Reads the params of one kind of subscription, which have passed checkParams. Throws a ServiceError for errors that it cannot detect. */
export type LocalnetSubscription<N extends SubscriptionName> = (
  ledger: Ledger,
  ...params: SubscriptionParams[N]
) => Subscribed<SubscriptionNotifications[N]>;

/** Notifies when the slot of the event reaches this level. */
type AtLevel = { readonly commitment: Commitment };

/** Notified at every tick: any number of results, in order. */
export type SlotWatch<R = unknown> = {
  readonly kind: 'slot';
  readonly notify: (advance: Advance) => readonly R[];
};

/** Notified once for a slot in which the account was written; undefined: it was removed. */
export type AccountWatch<R = unknown> = AtLevel & {
  readonly kind: 'account';
  readonly address: string;
  readonly notify: (account: Account | undefined, slot: bigint) => R;
};

/** Notified once for every account that was written in a slot and belongs to the program at its end. */
export type ProgramWatch<R = unknown> = AtLevel & {
  readonly kind: 'program';
  readonly program: string;
  /** Undefined: the account does not match. */
  readonly notify: (changed: KeyedAccount, slot: bigint) => R | undefined;
};

/** Notified of every transaction, or of those that mention an address, in the order of the block. */
export type TransactionWatch<R = unknown> = AtLevel & {
  readonly kind: 'transaction';
  readonly mention: string | undefined;
  /** Undefined: the transaction does not match. */
  readonly notify: (record: TransactionRecord) => R | undefined;
};

/** Notified of every block, or of those with a transaction that mentions an address: any number of results, in order. */
export type BlockWatch<R = unknown> = AtLevel & {
  readonly kind: 'block';
  readonly mention: string | undefined;
  readonly notify: (block: Block) => readonly R[];
  /** Returns the results for any other block. */
  readonly notifyOther: () => readonly R[];
};

/** Notified once when a transaction has reached the level, which ends the watch. */
export type SignatureWatch<R = unknown> = AtLevel & {
  readonly kind: 'signature';
  readonly signature: string;
  /** Returns the result for the landing of the transaction, if requested. */
  readonly notifyReceipt?: ((slot: bigint) => R) | undefined;
  readonly notify: (err: TransactionError | null, slot: bigint) => R;
};

/** The events that a subscription waits for, and `params.result` of its notifications. */
export type Watch<R = unknown> =
  | SlotWatch<R>
  | AccountWatch<R>
  | ProgramWatch<R>
  | TransactionWatch<R>
  | BlockWatch<R>
  | SignatureWatch<R>;
