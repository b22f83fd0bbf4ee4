import type { SubscriptionName } from '../../../../generated/ledger/subscriptions.ts';
import type { CallSignal } from '../../../core/rpc/call-signal.ts';
import { countSubscriptions, type SubscriptionMetrics } from './subscription-counts.ts';
import { serviceError } from '../../../core/service-error.ts';
import type { Pace } from '../../nodes/network/pace.ts';
import type { PubsubLoss } from '../../nodes/pubsub-connection.ts';
import { PubsubLink, type PubsubLinkOptions, type PubsubSession } from '../../nodes/pubsub-link.ts';
import { canonicalParams, SharedSubscription } from './shared-subscription.ts';
import { CommitmentClock } from './commitment-clock.ts';
import { NodeSubscriptions } from './node-subscriptions.ts';
import { NodeLoad, Openings } from './node-load.ts';
import { type AskedNode, type NewestSlots, readNewest, readNodeValue } from './node-reads.ts';
import type { Listener, Subscriber } from '../../../core/rpc/notification.ts';
import { within } from '../../nodes/pool/within.ts';
import { backfill, forEachOf } from './restore.ts';
import { createResumePoints } from './resume-points.ts';
import { SignatureChecks } from './signature-checks.ts';
import { startDeadline } from '../../../core/deadline.ts';

export type HubOptions = Omit<PubsubLinkOptions, 'onUp' | 'onDown' | 'onSlot'> & {
  /** The slot time of the network; the hub reports announced slots to it. */
  readonly pace: Pace;
  /** The newest slot that any node is known to have: the pace is that of the chain, however slow the node of the subscriptions is. */
  readonly newestSlot?: () => number;
  /** The genesis hash that nodes must have, as far as it is known: otherwise that of the first node. */
  readonly genesis?: () => string | undefined;
  /** Called for each member of params that was sent to a node that may not support it. */
  readonly onUnordered: (name: SubscriptionName, member: string) => void;
  /** Makes the WebSocket frame of a message. */
  readonly frame: (text: Buffer) => Buffer;
  readonly metrics: SubscriptionMetrics;
};

/** The outcome of a subscribe call: the id, or the node's error object. */
export type SubscribeOutcome =
  | { readonly kind: 'subscribed'; readonly id: number }
  | { readonly kind: 'refused'; readonly error: Buffer };

/** The slot behind which a new subscription begins is asked for this long. */
const BASELINE_MS = 1_000;
const LINGER_MS = 30_000;
const RETRY_MS = 500;
const MAX_RETRY_MS = 30_000;
/** The first pause of a subscription that is too much for the connection to the node; each later one is twice as long. */
const PAUSE_MS = 10_000;
const MAX_PAUSE_MS = 300_000;

/**
 * The subscriptions of one network. Identical ones share one subscription at the node and one id; while nobody subscribes there
 * is no connection to a node. When the connection is lost, all are made again, and what was missed is backfilled or reported as
 * a gap.
 */
export class Hub {
  readonly #options: HubOptions;
  readonly #link: PubsubLink;
  readonly #clock: CommitmentClock;
  readonly #checks = new SignatureChecks(() => this.#node);
  readonly #atNode: NodeSubscriptions;
  readonly #load = new NodeLoad<SharedSubscription>();
  readonly #openings = new Openings();
  readonly #byKey = new Map<string, SharedSubscription>();
  readonly #bySubscriber = new Map<Subscriber, Map<number, SharedSubscription>>();
  #session: PubsubSession | undefined;
  #node: AskedNode | undefined;
  #genesis: string | undefined;
  #newest: NewestSlots = { slot: 0, root: 0 };
  #nextId = 1;
  #linger: NodeJS.Timeout | undefined;

  constructor(given: HubOptions) {
    // A node is not left while no other one takes subscriptions.
    const patienceMs = (): number => (given.nodes().length < 2 ? Infinity : given.patienceMs());
    const options = { ...given, patienceMs };
    this.#options = options;
    const { pace, newestSlot = () => 0 } = options;
    this.#clock = new CommitmentClock(pace);
    this.#atNode = new NodeSubscriptions(options);
    this.#link = new PubsubLink({
      ...options,
      onSlot: (slot) => pace.announce(Math.max(slot, newestSlot())),
      onUp: (session) => this.#onConnected(session),
      onDown: (loss, session) => this.#onDisconnected(loss, session),
    });
    options.metrics.watch(() => ({
      isConnected: this.#session !== undefined,
      byName: countSubscriptions(this.#byKey.values()),
    }));
  }

  /**
   * Subscribes with checked params, and resolves when the node has accepted the subscription. `listener.added` is called when
   * notifications begin.
   *
   * @throws ServiceError `subscriptionLimitReached`, `subscriptionTooLarge`, `upstreamUnavailable`, `upstreamTimeout`.
   */
  async subscribe(
    name: SubscriptionName,
    params: unknown,
    { subscriber, added }: Listener,
    signal: CallSignal,
  ): Promise<SubscribeOutcome> {
    const text = canonicalParams(params);
    assertSendable(name, text);
    subscriber.reserve();
    let isKept = false;
    try {
      if (!this.#byKey.has(`${name} ${text}`)) await this.#openings.turn(subscriber.accountId, signal);
      for (;;) {
        const shared = this.#sharedOf(name, text);
        shared.waiting++;
        try {
          const refusal = await openedInTime(shared, this.#options.callTimeoutMs, signal);
          if (refusal !== undefined) return { kind: 'refused', error: refusal };
          signal.throwIfAborted();
          if (shared.isEnded) continue;
          isKept = this.#join(shared, subscriber, added);
          return { kind: 'subscribed', id: shared.id };
        } finally {
          shared.waiting--;
          this.#dropIfUnused(shared);
        }
      }
    } finally {
      if (!isKept) subscriber.release();
    }
  }

  /** Ends one subscription of a subscriber. @returns true if it existed. */
  unsubscribe(id: number, subscriber: Subscriber): boolean {
    const shared = this.#bySubscriber.get(subscriber)?.get(id);
    if (shared === undefined) return false;
    this.#removeSubscriber(shared, subscriber);
    subscriber.forget(id);
    return true;
  }

  /** Returns the subscribe methods of a subscriber's subscriptions. */
  readonly namesOf = (subscriber: Subscriber): readonly SubscriptionName[] =>
    [...(this.#bySubscriber.get(subscriber)?.values() ?? [])].map(({ info }) => info.name);

  /** Ends all subscriptions of a subscriber. */
  readonly leave = (subscriber: Subscriber): void => {
    for (const shared of this.#bySubscriber.get(subscriber)?.values() ?? [])
      this.#removeSubscriber(shared, subscriber);
  };

  async close(): Promise<void> {
    clearTimeout(this.#linger);
    this.#checks.close();
    this.#clock.follow(undefined);
    await this.#link.stop();
  }

  #sharedOf(name: SubscriptionName, params: string): SharedSubscription {
    const key = `${name} ${params}`;
    const known = this.#byKey.get(key);
    if (known !== undefined) return known;
    clearTimeout(this.#linger);
    const { frame, metrics } = this.#options;
    const shared = new SharedSubscription({
      id: this.#nextId++,
      name,
      params,
      frame,
      metrics,
      onResult: (taken, sizeBytes) => {
        for (const heavy of this.#load.weigh(taken, sizeBytes, performance.now())) this.#pause(heavy);
      },
      onEnd: (ended) => this.#end(ended),
    });
    this.#byKey.set(key, shared);
    this.#link.start();
    if (this.#session !== undefined) void this.#open(shared, this.#session);
    return shared;
  }

  /** @returns false if the subscriber already had it. */
  #join(shared: SharedSubscription, subscriber: Subscriber, added: () => void): boolean {
    if (shared.subscribers.has(subscriber)) return false;
    added();
    shared.subscribers.add(subscriber);
    const own = this.#bySubscriber.get(subscriber) ?? new Map<number, SharedSubscription>();
    this.#bySubscriber.set(subscriber, own.set(shared.id, shared));
    if (shared.missingFrom === undefined && shared.subscribers.size === 1) shared.resume();
    if (shared.info.refill === 'status') this.#checks.add(shared, this.#session);
    return true;
  }

  #removeSubscriber(shared: SharedSubscription, subscriber: Subscriber): void {
    if (!shared.subscribers.delete(subscriber)) return;
    const own = this.#bySubscriber.get(subscriber);
    own?.delete(shared.id);
    if (own?.size === 0) this.#bySubscriber.delete(subscriber);
    subscriber.release();
    this.#dropIfUnused(shared);
  }

  /** Removes a subscription that has sent its last notification, here and at the node. */
  #end(shared: SharedSubscription): void {
    this.#remove(shared);
    this.#atNode.forget(shared, this.#session);
    for (const subscriber of [...shared.subscribers]) this.#removeSubscriber(shared, subscriber);
  }

  #dropIfUnused(shared: SharedSubscription): void {
    if (shared.waiting > 0 || shared.subscribers.size > 0 || shared.isEnded) return;
    shared.isEnded = true;
    this.#remove(shared);
    this.#atNode.close(shared, this.#session);
  }

  #remove(shared: SharedSubscription): void {
    const key = `${shared.info.name} ${shared.paramsText}`;
    if (this.#byKey.get(key) === shared) this.#byKey.delete(key);
    this.#load.forget(shared);
    clearTimeout(this.#linger);
    if (this.#byKey.size === 0) this.#linger = setTimeout(() => void this.#link.stop(), LINGER_MS).unref();
  }

  async #open(shared: SharedSubscription, session: PubsubSession): Promise<void> {
    if (shared.info.refill !== 'status' && !shared.isOpened) shared.baseline = await this.#baselineOf(shared);
    await this.#atNode.open(shared, session);
  }

  /** A slot that the node has reached; as it was when it connected, if it does not say more at once. */
  async #baselineOf({ info, commitment }: SharedSubscription): Promise<number> {
    const { slot, root } = this.#newest;
    if (info.refill === 'none') return info.name === 'slotSubscribe' ? slot : root;
    let latest: number | undefined;
    const asked = this.#clock.latest(commitment).then((known) => {
      latest = known;
    });
    await within(asked, Math.min(BASELINE_MS, this.#options.patienceMs()));
    return latest ?? (commitment === 'processed' ? slot : root);
  }

  /** Resubscribes everything at a newly connected node, and backfills what was missed. */
  async #onConnected(session: PubsubSession): Promise<void> {
    const isCurrent = (): boolean => session.connection.isOpen;
    const { pace, silenceMs, patienceMs } = this.#options;
    const limitMs = Math.min(silenceMs(), patienceMs());
    const node = { upstream: session.upstream, isCurrent, pace, limitMs };
    [this.#newest] = await Promise.all([readNewest(node), this.#checkGenesis(node, session)]);
    this.#clock.follow(node);
    this.#session = session;
    this.#node = node;
    const all = [...this.#byKey.values()];
    const lost = all.filter(({ missingFrom }) => missingFrom !== undefined);
    const nowMs = performance.now();
    const isPaused = ({ pausedUntilMs }: SharedSubscription): boolean => pausedUntilMs > nowMs;
    for (const shared of all.filter(isPaused)) this.#retry(shared, session, shared.pausedUntilMs - nowMs);
    const opening = all.filter((shared) => !isPaused(shared));
    const resuming = lost.filter((shared) => !isPaused(shared));
    for (const shared of resuming) shared.hold();
    await openAll(opening, resuming, {
      isCurrent,
      open: (shared) => this.#open(shared, session),
      resume: (accepted) => this.#backfill(accepted, node, session),
    });
    if (!isCurrent()) return;
    for (const shared of resuming) if (!isSubscribed(shared)) this.#retry(shared, session, RETRY_MS);
    void this.#checks.repeatFor(all, session);
  }

  #backfill(lost: readonly SharedSubscription[], node: AskedNode, session: PubsubSession): Promise<void> {
    const { onFailure } = this.#options;
    void this.#checks.repeatFor(lost, session);
    const pointAt = createResumePoints(node, session);
    return backfill(lost, { node, pointAt, checks: this.#checks, onFailure });
  }

  /** Ends a subscription at the node for a while. What is missing then is backfilled, or reported as a gap. */
  #pause(shared: SharedSubscription): void {
    const session = this.#session;
    if (session === undefined || shared.isEnded) return;
    this.#options.metrics.countPause(shared.info.name);
    const settled = this.#settled(shared, session);
    this.#atNode.close(shared, session);
    shared.lose(settled);
    const nowMs = performance.now();
    const wasLongAgo = nowMs - shared.pausedUntilMs > MAX_PAUSE_MS;
    shared.pauseMs = wasLongAgo ? PAUSE_MS : Math.min(2 * shared.pauseMs, MAX_PAUSE_MS);
    // Not all at once.
    const waitMs = shared.pauseMs * (1 + Math.random());
    shared.pausedUntilMs = nowMs + waitMs;
    this.#retry(shared, session, waitMs);
  }

  /** Retries a subscription that the node does not accept again, for as long as the node is connected. */
  #retry(shared: SharedSubscription, session: PubsubSession, delayMs: number): void {
    const again = async (): Promise<void> => {
      const node = this.#node;
      if (this.#session !== session || node === undefined || shared.isEnded) return;
      shared.hold();
      await this.#atNode.open(shared, session);
      if (isSubscribed(shared)) await this.#backfill([shared], node, session);
      else this.#retry(shared, session, Math.min(2 * delayMs, MAX_RETRY_MS));
    };
    setTimeout(() => void again().catch(this.#options.onFailure), delayMs).unref();
  }

  /** Checks that the node has the ledger of the network: with several nodes, one with another ledger is skipped. */
  async #checkGenesis(node: AskedNode, { noteGenesis }: PubsubSession): Promise<void> {
    const genesis = String(await readNodeValue(node, 'getGenesisHash', []));
    noteGenesis?.(genesis);
    const isOther = this.#genesis !== undefined && this.#genesis !== genesis;
    const { genesis: expected = () => undefined, nodes } = this.#options;
    if ((expected() ?? (nodes().length > 1 ? this.#genesis : undefined) ?? genesis) !== genesis)
      throw serviceError('upstreamBroken', {}, new Error(`the node has another ledger, ${genesis}`));
    this.#genesis = genesis;
    if (!isOther) return;
    for (const shared of this.#byKey.values()) {
      if (shared.isOpened) shared.reset(genesis);
      else shared.baseline = undefined;
    }
  }

  #onDisconnected(loss: PubsubLoss, session: PubsubSession): void {
    if (loss !== 'stopped') this.#options.metrics.countLoss(loss);
    this.#options.pace.forget();
    if (this.#session !== session) return;
    this.#session = undefined;
    this.#node = undefined;
    this.#clock.follow(undefined);
    for (const shared of this.#byKey.values()) {
      this.#load.forget(shared);
      shared.lose(this.#settled(shared, session));
    }
  }

  /**
   * Returns the slot up to which all notifications were sent: those without a commitment come with the slots, or concern one
   * that is not a root yet.
   */
  #settled({ info, commitment }: SharedSubscription, session: PubsubSession): number | undefined {
    const newestSlot = session.newestSlot();
    if (newestSlot === undefined || info.name === 'rootSubscribe') return undefined;
    if (info.refill !== 'none') return this.#clock.settled(commitment, newestSlot);
    return (info.name === 'slotSubscribe' ? newestSlot : (session.newestRoot() ?? 0)) - 1;
  }
}

/** The largest WebSocket message that validators read; a longer one costs the connection, and with it everyone's subscriptions. */
const MAX_MESSAGE_BYTES = 4_096;
/** The rest of a call: version, id of up to 16 digits, names of the members. */
const ENVELOPE_BYTES = 64;

/**
 * Rejects params that a node would not read.
 *
 * @throws ServiceError `subscriptionTooLarge` if the params do not fit into a message.
 */
function assertSendable(name: string, params: string): void {
  const limit = MAX_MESSAGE_BYTES - ENVELOPE_BYTES - name.length;
  const value = Buffer.byteLength(params);
  if (value > limit) throw serviceError('subscriptionTooLarge', { limit, value });
}

/**
 * Waits until the node has accepted a subscription.
 *
 * @returns the error object with which it refused it, if it did.
 * @throws ServiceError `upstreamUnavailable` after `limitMs`; the signal's reason; the error that kept it from being opened.
 */
async function openedInTime(
  { opened }: SharedSubscription,
  limitMs: number,
  signal: CallSignal,
): Promise<Buffer | undefined> {
  const late = Promise.withResolvers<never>();
  const endWait = startDeadline(limitMs, () => late.reject(serviceError('upstreamUnavailable')));
  const forget = signal.onAbort((reason) => late.reject(reason));
  try {
    return await Promise.race([opened.promise, late.promise]);
  } finally {
    endWait();
    forget();
  }
}

type Opening = {
  /** Subscribes at the node. Resolves when the node has answered, or does not answer. */
  readonly open: (shared: SharedSubscription) => Promise<void>;
  /** Called with subscriptions of `lost` that the node has accepted. */
  readonly resume: (accepted: readonly SharedSubscription[]) => Promise<void>;
  /** False once the node is lost. */
  readonly isCurrent: () => boolean;
};

/** Most subscribe calls at the same time. */
const AT_ONCE = 128;
/** A call that takes longer does not count as one of these. */
const SLOW_MS = 1_000;
/** The time in which most nodes accept all subscriptions; after that they are resumed in groups, each after twice the time. */
const GATHER_MS = 250;

/**
 * Opens subscriptions at a node, and resumes those that were lost: together, as blocks are read once for all of a group, but one that
 * the node takes long for holds up no other.
 */
async function openAll(
  all: readonly SharedSubscription[],
  lost: readonly SharedSubscription[],
  { open, resume, isCurrent }: Opening,
): Promise<void> {
  const waiting = new Set(lost);
  const opened: Promise<void>[] = [];
  const resumed: Promise<void>[] = [];
  const ask = async (shared: SharedSubscription): Promise<void> => {
    const answered = open(shared);
    opened.push(answered);
    await within(answered, SLOW_MS);
  };
  let isOpening = true;
  const opening = forEachOf(all, ask, AT_ONCE)
    .then(() => Promise.all(opened))
    .finally(() => {
      isOpening = false;
    });
  for (let gatherMs = GATHER_MS; isOpening; gatherMs *= 2) {
    await within(opening, gatherMs);
    if (!isCurrent()) return;
    const accepted = [...waiting].filter(isSubscribed);
    for (const shared of accepted) waiting.delete(shared);
    if (accepted.length === 0) continue;
    const resuming = resume(accepted);
    resuming.catch(() => undefined);
    resumed.push(resuming);
  }
  await Promise.all(resumed);
}

/** True if the node has accepted a subscription, and it has not ended. */
function isSubscribed({ nodeId, isEnded }: SharedSubscription): boolean {
  return nodeId !== undefined && !isEnded;
}
