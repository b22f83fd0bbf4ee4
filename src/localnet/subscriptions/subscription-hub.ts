import { type SubscriptionName, SUBSCRIPTIONS } from '../../../generated/ledger/subscriptions.ts';
import { stringifyJson } from '../../rpc/json.ts';
import { serviceError } from '../../base/service-error.ts';
import type { Ledger } from '../ledger.ts';
import { type LedgerEvent, eventsOfAdvance, eventsOfLanding } from './ledger-events.ts';
import { eventsOfJump } from './jump-events.ts';
import { pastEvents } from './past-events.ts';
import type { Subscriber } from './subscriber.ts';
import type { Subscribed } from './subscription.ts';
import type { Watch } from './watch.ts';
import { WatchIndex } from './watch-index.ts';

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
