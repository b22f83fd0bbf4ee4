import { ServiceError, serviceError } from '../../base/service-error.ts';
import type { SubscriptionName } from '../../../generated/ledger/subscriptions.ts';
import { isUnanswered } from '../../upstream/pubsub-connection.ts';
import type { PubsubSession } from '../../upstream/pubsub-link.ts';
import { needsOf } from '../needs.ts';
import { tooOld } from '../serve-versioned.ts';
import type { SharedSubscription } from './shared-subscription.ts';
import { sliceResults } from './slice-account.ts';

/** The id that stands for the link's own slot subscription, which always exists. */
const OWN_SLOTS = 'own';
/** A subscription that was pending this many times when the node was lost, and at each of the nodes, may be the cause. */
const LEAST_ATTEMPTS = 2;
/** Where none of the nodes answers calls of a kind, each is left for that once in this time: the other subscriptions move with it. */
const LEFT_MS = 60_000;

export type NodeSubscriptionsOptions = {
  /** The nodes that subscriptions can be made at. */
  readonly nodes: () => readonly unknown[];
  /** Called for a subscription that the node had, and does not accept again. */
  readonly onFailure: (error: unknown) => void;
  /** Called for each member of params that was sent to a node that may not support it. */
  readonly onUnordered: (name: SubscriptionName, member: string) => void;
};

/** Makes and ends subscriptions at the connected node. */
export class NodeSubscriptions {
  readonly #options: NodeSubscriptionsOptions;
  /** When nodes were left because they answered no calls of a kind. */
  readonly #leftMs = new Map<SubscriptionName, readonly number[]>();

  constructor(options: NodeSubscriptionsOptions) {
    this.#options = options;
  }

  /**
   * Subscribes at the node. Callers that wait for a new subscription get the node's error. Never rejects: a subscription that
   * the node has not accepted then has no id.
   */
  async open(shared: SharedSubscription, session: PubsubSession): Promise<void> {
    const { connection, slots } = session;
    const { info, paramsText, take } = shared;
    if (shared.isEnded || !connection.isOpen) return;
    if (info.name === 'slotSubscribe') {
      slots.takers.add(take);
      return this.#taken(shared, OWN_SLOTS, session);
    }
    const askedMs = performance.now();
    // Left is a node that answers no calls of this kind; where no other one is left, only a node that answers nothing.
    const sign =
      shared.attempts + 1 < this.#maxAttempts() && this.#mayLeave(info.name) ? info.name : undefined;
    try {
      shared.prepare = this.#resultPreparation(shared, session);
      const answer = await connection.subscribe(info.name, paramsText, take, sign);
      if (answer.kind === 'subscribed') this.#taken(shared, answer.id, session);
      else if (shared.isOpened)
        this.#options.onFailure(new Error(`${info.name} is refused: ${answer.error}`));
      else shared.opened.resolve(answer.error);
    } catch (error) {
      shared.attempts++;
      if (isUnanswered(error) && !connection.hasAnswered(askedMs, sign)) {
        this.#leftMs.set(info.name, [...this.#leftLately(info.name), performance.now()]);
        connection.end('silent');
      }
      if (shared.isOpened) this.#options.onFailure(error);
      else if (connection.isOpen || shared.attempts >= this.#maxAttempts()) this.#fail(shared, error);
    }
  }

  /** True if there is another node, and not all of them were left for this kind lately. */
  #mayLeave(name: SubscriptionName): boolean {
    return this.#leftLately(name).length < this.#options.nodes().length - 1;
  }

  #leftLately(name: SubscriptionName): readonly number[] {
    const sinceMs = performance.now() - LEFT_MS;
    return (this.#leftMs.get(name) ?? []).filter((leftMs) => leftMs > sinceMs);
  }

  #maxAttempts(): number {
    return Math.max(LEAST_ATTEMPTS, this.#options.nodes().length);
  }

  /** Returns the gateway's own processing of results for an older node. @throws ServiceError `nodeTooOld` */
  #resultPreparation(
    { info, params }: SharedSubscription,
    { known }: PubsubSession,
  ): SharedSubscription['prepare'] {
    const needs = needsOf(info.name, params);
    const has = needs === undefined ? true : known.has(needs.since);
    if (needs === undefined || has === true) return undefined;
    if (has === undefined) {
      for (const { name } of needs.members) this.#options.onUnordered(info.name, name);
      return undefined;
    }
    const slice = needs.members.every(({ fallback }) => fallback === 'slice')
      ? sliceResults(info.name, params)
      : undefined;
    if (slice === undefined) throw tooOld(needs, { versions: () => [known.version ?? ''] });
    return slice;
  }

  /** Ends a subscription at the node. */
  close(shared: SharedSubscription, session: PubsubSession | undefined): void {
    const { nodeId, info, take } = shared;
    shared.nodeId = undefined;
    if (nodeId === undefined || session === undefined) return;
    if (nodeId === OWN_SLOTS) session.slots.takers.delete(take);
    else session.connection.unsubscribe(info.unsubscribe, nodeId, take);
  }

  /** Forgets a subscription that the node has ended itself. */
  forget(shared: SharedSubscription, session: PubsubSession | undefined): void {
    if (shared.nodeId !== undefined) session?.connection.forget(shared.nodeId, shared.take);
    shared.nodeId = undefined;
  }

  #taken(shared: SharedSubscription, id: string, session: PubsubSession): void {
    shared.nodeId = id;
    shared.attempts = 0;
    shared.announcedSlot = session.newestSlot();
    if (shared.isEnded) {
      this.close(shared, session);
      return;
    }
    shared.isOpened = true;
    shared.opened.resolve(undefined);
  }

  #fail(shared: SharedSubscription, error: unknown): void {
    shared.opened.promise.catch(() => undefined);
    shared.opened.reject(
      error instanceof ServiceError ? error : serviceError('upstreamUnavailable', {}, error),
    );
  }
}
