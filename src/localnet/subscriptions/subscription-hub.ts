import { type SubscriptionName, SUBSCRIPTIONS } from '../../../generated/ledger/subscriptions.ts';
import { stringifyJson } from '../../core/rpc/json.ts';
import { serviceError } from '../../core/service-error.ts';
import type { Ledger } from '../ledger.ts';
import type {
  Subscribed,
  Watch,
  AccountWatch,
  BlockWatch,
  ProgramWatch,
  SignatureWatch,
  SlotWatch,
  TransactionWatch,
} from './subscription.ts';
import type { Commitment } from '../blocks/commitment.ts';
import type { Jump, Advance, SlotChanges } from '../ledger-follower.ts';
import { isSameAccount } from '../accounts/left-state.ts';
import { signatureOf } from '../blocks/transaction-index.ts';
import type { TransactionRecord } from '../model.ts';
import { accountKeys } from '../transaction/account-keys.ts';

/** Counted once per connection that has it; this many take about 200 MB. */
const MAX_SUBSCRIPTIONS = 200_000;

type Open = {
  readonly id: number;
  readonly key: string;
  readonly notification: string;
  readonly watch: Watch;
  readonly subscribers: Set<Subscriber>;
};

/**
 * All subscriptions of all connections. Equivalent ones are one subscription with one id, and its notifications are printed once for all of
 * them. A subscription is notified of later events; only a signature is notified of past ones.
 */
export class SubscriptionHub {
  readonly #ledger: Ledger;
  readonly #maxSubscriptions: number;
  readonly #index = new WatchIndex();
  readonly #byKey = new Map<string, Open>();
  readonly #byId = new Map<number, Open>();
  readonly #byWatch = new Map<Watch, Open>();
  readonly #idsOf = new Map<Subscriber, Set<number>>();
  readonly #unfollow: () => void;
  #nextId = 0;
  #count = 0;

  constructor(ledger: Ledger, { maxSubscriptions = MAX_SUBSCRIPTIONS } = {}) {
    this.#ledger = ledger;
    this.#maxSubscriptions = maxSubscriptions;
    this.#unfollow = ledger.follow({
      landed: (record) => this.#tellAll(eventsOfLanding(this.#index, record)),
      advanced: (advance) => this.#tellAll(eventsOfAdvance(ledger, this.#index, advance)),
      jumped: (jump) => this.#tellAll(eventsOfJump(ledger, this.#index, jump)),
    });
  }

  /** Number of subscriptions, counted once per connection that has them. */
  get size(): number {
    return this.#count;
  }

  /**
   * Subscribes a connection. Subscribing again returns the same id, and is still one subscription. `begin` is called with the id of a new
   * one before any notification.
   *
   * @throws ServiceError subscriptionRefused at the limit.
   */
  subscribe(
    subscriber: Subscriber,
    name: SubscriptionName,
    { key, watch }: Subscribed,
    begin: (id: number) => void,
  ): number {
    const fullKey = stringifyJson([name, ...key]);
    const known = this.#byKey.get(fullKey);
    if (known?.subscribers.has(subscriber)) return known.id;
    if (this.#count >= this.#maxSubscriptions) throw serviceError('subscriptionRefused');
    const open = known ?? this.#open(name, fullKey, watch);
    this.#join(open, subscriber);
    begin(open.id);
    for (const event of pastEvents(this.#ledger, open.watch)) this.#notify(event, [subscriber]);
    return open.id;
  }

  /** Ends a subscription of a connection. False: it has none with this id. */
  unsubscribe(subscriber: Subscriber, id: number | bigint): boolean {
    const open = this.#byId.get(Number(id));
    if (!open?.subscribers.has(subscriber)) return false;
    this.#leave(open, subscriber);
    return true;
  }

  /** True when a connection has a subscription. */
  has(subscriber: Subscriber): boolean {
    return (this.#idsOf.get(subscriber)?.size ?? 0) > 0;
  }

  /** Ends all subscriptions of a connection. */
  leave(subscriber: Subscriber): void {
    for (const id of this.#idsOf.get(subscriber) ?? []) this.unsubscribe(subscriber, id);
  }

  /** Stops following the ledger. */
  close(): void {
    this.#unfollow();
  }

  #open(name: SubscriptionName, key: string, watch: Watch): Open {
    const { notification } = SUBSCRIPTIONS[name];
    const open: Open = { id: this.#nextId++, key, notification, watch, subscribers: new Set() };
    this.#byKey.set(key, open);
    this.#byId.set(open.id, open);
    this.#byWatch.set(watch, open);
    this.#index.add(watch);
    return open;
  }

  #join(open: Open, subscriber: Subscriber): void {
    open.subscribers.add(subscriber);
    this.#count++;
    const ids = this.#idsOf.get(subscriber);
    if (ids === undefined) this.#idsOf.set(subscriber, new Set([open.id]));
    else ids.add(open.id);
  }

  #leave(open: Open, subscriber: Subscriber): void {
    if (!open.subscribers.delete(subscriber)) return;
    this.#count--;
    const ids = this.#idsOf.get(subscriber);
    ids?.delete(open.id);
    if (ids?.size === 0) this.#idsOf.delete(subscriber);
    if (open.subscribers.size > 0) return;
    this.#byKey.delete(open.key);
    this.#byId.delete(open.id);
    this.#byWatch.delete(open.watch);
    this.#index.delete(open.watch);
  }

  #tellAll(events: Iterable<LedgerEvent>): void {
    for (const event of events) {
      const open = this.#byWatch.get(event.watch);
      if (open !== undefined) this.#notify(event, [...open.subscribers]);
    }
  }

  #notify({ watch, notify, isLast }: LedgerEvent, subscribers: readonly Subscriber[]): void {
    const open = this.#byWatch.get(watch);
    if (open === undefined) return;
    try {
      for (const result of notify()) {
        const notification = frame(open, result);
        for (const subscriber of subscribers) subscriber.notify(open.id, notification);
      }
      if (isLast) for (const subscriber of subscribers) this.#leave(open, subscriber);
    } catch (error) {
      for (const subscriber of subscribers) {
        this.#leave(open, subscriber);
        subscriber.fail(error);
      }
    }
  }
}

function frame({ id, notification }: Open, result: unknown): Buffer {
  const params = `{"result":${stringifyJson(result)},"subscription":${id}}`;
  return Buffer.from(`{"jsonrpc":"2.0","method":"${notification}","params":${params}}`);
}

/** A connection with subscriptions. */
export type Subscriber = {
  /** Takes a notification of one of its subscriptions. Never throws. */
  readonly notify: (id: number, notification: Buffer) => void;
  /** Called when a notification could not be created; the subscription has ended. */
  readonly fail: (error: unknown) => void;
};

const LEVELS: readonly Commitment[] = ['processed', 'confirmed', 'finalized'];

/**
 * Yields the watches that a restore affects: accounts that differ at their level, as they are now at each level; signatures that have
 * landed in the new state; and last the slots, which continue from there.
 */
function* eventsOfJump(ledger: Ledger, index: WatchIndex, jump: Jump): Generator<LedgerEvent> {
  for (const level of LEVELS) {
    const { signatures } = index.levels[level];
    yield* eventsOfAccounts(ledger, index.levels[level], {
      slot: ledger.slotAt(level),
      written: differingAt(ledger, jump, level),
    });
    for (const watch of [...signatures.all()]) yield* pastEvents(ledger, watch);
  }
  for (const watch of index.slots) yield { watch, notify: () => watch.notify(jump), isLast: false };
}

function* differingAt(ledger: Ledger, { differing, before }: Jump, level: Commitment): Generator<string> {
  const slot = ledger.slotAt(level);
  for (const address of differing)
    if (!isSameAccount(before(address, level), ledger.accounts.read(address, slot))) yield address;
}

/**
 * Yields past events for a new subscription: a transaction that has landed, or has reached the level already. All other kinds notify of
 * changes from now on.
 */
function* pastEvents(ledger: Ledger, watch: Watch): Generator<LedgerEvent> {
  if (watch.kind !== 'signature') return;
  const record = ledger.blocks.index.find(watch.signature);
  if (record === undefined) return;
  const slot = ledger.slotAt(watch.commitment);
  const { notifyReceipt } = watch;
  if (record.slot <= slot) yield { watch, notify: () => [watch.notify(record.meta.err, slot)], isLast: true };
  else if (notifyReceipt !== undefined)
    yield { watch, notify: () => [notifyReceipt(record.slot)], isLast: false };
}

/** A watch affected by an event, and `params.result` of each of its notifications, in order. */
type LedgerEvent = {
  readonly watch: Watch;
  readonly notify: () => readonly unknown[];
  /** True if this ends the watch. */
  readonly isLast: boolean;
};

const RECEIPT_LEVELS = ['processed', 'confirmed', 'finalized'] as const;

/** Yields the watches that a newly landed transaction affects. */
function* eventsOfLanding(index: WatchIndex, record: TransactionRecord): Generator<LedgerEvent> {
  const { slot } = record;
  for (const level of RECEIPT_LEVELS) {
    const { signatures } = index.levels[level];
    if (signatures.size === 0) continue;
    for (const watch of signatures.get(signatureOf(record))) {
      const { notifyReceipt } = watch;
      if (notifyReceipt !== undefined) yield { watch, notify: () => [notifyReceipt(slot)], isLast: false };
    }
  }
  yield* eventsOfTransaction(index.levels.processed, record);
}

/**
 * Yields the watches that a tick affects. Processed account changes are sent at the end of their slot, once per slot; then confirmed ones,
 * then finalized ones, and last the slots themselves, so that a subscriber gets a slot after its contents.
 */
function* eventsOfAdvance(ledger: Ledger, index: WatchIndex, advance: Advance): Generator<LedgerEvent> {
  const { processed, confirmed, finalized } = index.levels;
  yield* eventsOfAccounts(ledger, processed, advance.closed);
  yield* eventsOfBlock(ledger, confirmed, advance.closed);
  yield* eventsOfBlock(ledger, finalized, advance.finalized);
  for (const watch of index.slots) yield { watch, notify: () => watch.notify(advance), isLast: false };
}

function* eventsOfBlock(ledger: Ledger, level: LevelIndex, changes: SlotChanges): Generator<LedgerEvent> {
  const records = ledger.blocks.transactions(changes.slot);
  if (level.signatures.size + level.transactions.size > 0)
    for (const record of records) yield* eventsOfTransaction(level, record);
  yield* eventsOfAccounts(ledger, level, changes);
  if (level.blocks.size === 0) return;
  const block = ledger.blocks.block(changes.slot);
  if (block === undefined) return;
  const mentioned = new Set(records.flatMap(addressesOf));
  for (const watch of level.blocks.all()) {
    const isConcerned = watch.mention === undefined || mentioned.has(watch.mention);
    yield { watch, notify: isConcerned ? () => watch.notify(block) : watch.notifyOther, isLast: false };
  }
}

function* eventsOfTransaction(
  { signatures, transactions }: LevelIndex,
  record: TransactionRecord,
): Generator<LedgerEvent> {
  if (signatures.size > 0)
    for (const watch of signatures.get(signatureOf(record)))
      yield { watch, notify: () => [watch.notify(record.meta.err, record.slot)], isLast: true };
  if (transactions.size === 0) return;
  for (const key of [ANY, ...new Set(addressesOf(record))])
    for (const watch of transactions.get(key))
      yield { watch, notify: () => listOf(watch.notify(record)), isLast: false };
}

/** Yields the watches of accounts that were written in a slot, or may differ at it. */
function* eventsOfAccounts(
  { accounts }: Ledger,
  { accounts: watched, programs }: LevelIndex,
  { slot, written }: { readonly slot: bigint; readonly written: Iterable<string> },
): Generator<LedgerEvent> {
  if (watched.size + programs.size === 0) return;
  for (const address of new Set([...written, ...accounts.derivedAddresses])) {
    for (const watch of watched.get(address))
      yield { watch, notify: () => [watch.notify(accounts.read(address, slot), slot)], isLast: false };
    if (programs.size === 0) continue;
    const owner = accounts.ownerOf(address, slot);
    if (owner === undefined) continue;
    for (const watch of programs.get(owner)) {
      const notify = () => {
        const account = accounts.read(address, slot);
        return listOf(account && watch.notify({ address, account }, slot));
      };
      yield { watch, notify, isLast: false };
    }
  }
}

/** Undefined results are not sent. */
function listOf(result: unknown): readonly unknown[] {
  return result === undefined ? [] : [result];
}

function addressesOf({ transaction, meta }: TransactionRecord): readonly string[] {
  return accountKeys(transaction.message, meta.loadedAddresses);
}

/** The key of watches without a specific address. */
const ANY = '';

/** Watches by the events that they wait for, at one level. */
class LevelIndex {
  readonly accounts = new KeyedSets<AccountWatch>();
  readonly programs = new KeyedSets<ProgramWatch>();
  readonly signatures = new KeyedSets<SignatureWatch>();
  /** By the address that a transaction must mention, or `ANY`. */
  readonly transactions = new KeyedSets<TransactionWatch>();
  readonly blocks = new KeyedSets<BlockWatch>();
}

/** All watches, found by event: one without events costs nothing. */
class WatchIndex {
  readonly slots = new Set<SlotWatch>();
  readonly levels: Readonly<Record<Commitment, LevelIndex>> = {
    processed: new LevelIndex(),
    confirmed: new LevelIndex(),
    finalized: new LevelIndex(),
  };

  add(watch: Watch): void {
    this.#change(watch, 'add');
  }

  delete(watch: Watch): void {
    this.#change(watch, 'delete');
  }

  #change(watch: Watch, change: 'add' | 'delete'): void {
    switch (watch.kind) {
      case 'slot':
        this.slots[change](watch);
        break;
      case 'account':
        this.levels[watch.commitment].accounts[change](watch.address, watch);
        break;
      case 'program':
        this.levels[watch.commitment].programs[change](watch.program, watch);
        break;
      case 'signature':
        this.levels[watch.commitment].signatures[change](watch.signature, watch);
        break;
      case 'transaction':
        this.levels[watch.commitment].transactions[change](watch.mention ?? ANY, watch);
        break;
      case 'block':
        this.levels[watch.commitment].blocks[change](watch.mention ?? ANY, watch);
        break;
      default:
        watch satisfies never;
    }
  }
}

/** Sets of items under a key; an empty set is not kept. */
class KeyedSets<T> {
  readonly #sets = new Map<string, Set<T>>();

  /** Number of keys with items. */
  get size(): number {
    return this.#sets.size;
  }

  get(key: string): Iterable<T> {
    return this.#sets.get(key) ?? [];
  }

  /** All items, whatever their key. */
  *all(): Generator<T> {
    for (const set of this.#sets.values()) yield* set;
  }

  add(key: string, item: T): void {
    const set = this.#sets.get(key);
    if (set === undefined) this.#sets.set(key, new Set([item]));
    else set.add(item);
  }

  delete(key: string, item: T): void {
    const set = this.#sets.get(key);
    set?.delete(item);
    if (set?.size === 0) this.#sets.delete(key);
  }
}
