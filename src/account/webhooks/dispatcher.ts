import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import type { InstallationKey } from '../sealing/installation-key.ts';
import type { Clock } from '../../core/clock.ts';
import type { Store } from '../../store/open-store.ts';
import type { StoreTransaction } from '../../store/transaction.ts';
import { deliverRound, MAX_WAITING, type Round, type Stop, type Receiver } from './deliver-round.ts';
import { findWork, type WorkingWebhook } from './find-work.ts';
import { holdLease, leaveLease } from '../processes/lease.ts';
import type { PostEvent } from './post-event.ts';
import { releaseStranded } from './release-stranded.ts';
import { openWebhookSecret } from './secrets.ts';
import { MAX_WEBHOOKS } from './webhooks.ts';
import { DOWN_AFTER } from './write-outcomes.ts';

export type DispatcherOptions = {
  /** Of low priority: accounts take turns, and wallet requests go first. */
  readonly store: Store;
  /** The plan of an account: it gets no more events a second than it has requests. */
  readonly planOf: (accountId: string) => { readonly requestsPerSecond: number };
  readonly installationKey: InstallationKey;
  /** This process in `gateways`. */
  readonly gatewayId: string;
  readonly clock: Clock;
  readonly log: Logger;
  /** Returns the sender that a webhook's account may use. */
  readonly postFor: (webhook: WorkingWebhook) => PostEvent;
  readonly userAgent: string;
  /** Called in the transaction that stops a webhook. */
  readonly onStop: (
    tx: StoreTransaction,
    webhook: WorkingWebhook,
    stop: Stop,
    nowMs: number,
  ) => Promise<void>;
  /** Called after each round. */
  readonly onRound: (webhook: WorkingWebhook, round: Round) => void;
  /** Interval of the search for work. Default 500 ms. */
  readonly lookMs?: number;
  /** Default 500 ms. */
  readonly slowMs?: number;
};

/** Delivers events in the background. */
export type Dispatcher = {
  /** Ends rounds under way within two seconds; their events are sent again by the next process. */
  readonly close: () => Promise<void>;
};

const LEASE = 'webhooks';
const LOOK_MS = 500;
const CLOSE_MS = 2_000;
/** A round whose attempts take longer is slow. */
const SLOW_MS = 500;
/** Pause of a webhook after an error of this server. */
const REST_MS = 10_000;
/** Between probes of a receiver that is down, each pause twice the one before. */
const FIRST_PROBE_MS = 10_000;
const LAST_PROBE_MS = 300_000;

type Probe = { readonly atMs: number; readonly pauseMs: number };

/** Starts to deliver, while this process has the lease: of several processes on one store, only one delivers. */
export function startDispatcher(options: DispatcherOptions): Dispatcher {
  const { store, gatewayId, clock, log, lookMs = LOOK_MS, slowMs = SLOW_MS } = options;
  const lanes = new DeliveryLanes(clock);
  const pace = new DeliveryPace(options.planOf);
  const running = new Map<string, Promise<void>>();
  /** Webhooks that had nothing to send, until the next regular look. */
  const idle = new Set<string>();
  /** True: a webhook has to wait for a place. */
  let isShort = false;
  const probes = new Map<string, Probe>();
  const resting = new Map<string, number>();
  const closing = new AbortController();
  let isClosed = false;
  let isFailing = false;
  let isReleased = false;

  /** True for a receiver that is down, when the pause before its next probe has passed. */
  const isProbeDue = ({ id, failures }: WorkingWebhook): boolean => {
    if (failures < DOWN_AFTER) {
      probes.delete(id);
      return false;
    }
    const nowMs = clock.nowMs();
    const probe = probes.get(id);
    if (probe === undefined) probes.set(id, { atMs: nowMs + FIRST_PROBE_MS, pauseMs: FIRST_PROBE_MS });
    return probe !== undefined && nowMs >= probe.atMs;
  };
  /** True once for each pause. */
  const takeProbe = (webhook: WorkingWebhook): boolean => {
    if (!isProbeDue(webhook)) return false;
    const pauseMs = Math.min(2 * (probes.get(webhook.id)?.pauseMs ?? FIRST_PROBE_MS), LAST_PROBE_MS);
    probes.set(webhook.id, { atMs: clock.nowMs() + pauseMs, pauseMs });
    return true;
  };
  /** True if a round would send something: only then a webhook takes a place. */
  const hasRound = (webhook: WorkingWebhook): boolean => {
    const mayProbe = isProbeDue(webhook);
    if (webhook.isDue || webhook.failures >= DOWN_AFTER) return webhook.isDue || mayProbe;
    return webhook.hasNew && webhook.waiting < MAX_WAITING;
  };

  const work = async (webhook: WorkingWebhook, place: Place): Promise<void> => {
    const cut = place.cut.signal;
    const onSlow = (): void => {
      lanes.becomeSlow(place);
      lookAgain();
    };
    const probe = probes.get(webhook.id);
    try {
      const round = await deliverRound({
        store: store.ofAccount?.(webhook.accountId) ?? store,
        webhook,
        receiver: {
          ...receiverOf(options, webhook),
          post: withSlowAlarm(options.postFor(webhook), slowMs, onSlow),
          signal: closing.signal,
          cut,
        },
        isProbe: takeProbe(webhook),
        stop: (tx, stop) => options.onStop(tx, webhook, stop, clock.nowMs()),
      });
      if (cut.aborted && probe !== undefined) probes.set(webhook.id, probe);
      pace.count(webhook.accountId, round.outcomes.length);
      options.onRound(webhook, round);
      resting.delete(webhook.id);
      if (round.hasMore) lookAgain(Math.max(0, pace.waitMs(webhook.accountId)));
      else idle.add(webhook.id);
    } catch (error) {
      resting.set(webhook.id, clock.nowMs() + REST_MS);
      log.error({ err: error, webhook: webhook.id }, 'cannot deliver events to a webhook; retrying');
    }
  };

  const begin = (webhook: WorkingWebhook, place: Place): void => {
    const ended = work(webhook, place).finally(() => {
      lanes.leave(place);
      running.delete(webhook.id);
      if (isShort) lookAgain();
    });
    running.set(webhook.id, ended);
  };

  let regularAtMs = 0;
  const look = async (): Promise<void> => {
    if (!(await holdLease(store, LEASE, gatewayId))) return;
    if (!isReleased) await releaseStranded(store.db, clock.nowMs());
    isReleased = true;
    if (performance.now() - regularAtMs >= lookMs) {
      idle.clear();
      regularAtMs = performance.now();
    }
    // A round that ends during the search has advanced its webhook: the search may have found its earlier state.
    const before = new Set(running.keys());
    const found = await findWork(store, clock.nowMs());
    const isFree = ({ id }: WorkingWebhook): boolean =>
      !before.has(id) && !running.has(id) && !idle.has(id) && clock.nowMs() >= (resting.get(id) ?? 0);
    isShort = false;
    for (const webhook of lanes.inOrder(found.filter(isFree).filter(hasRound))) {
      if (isClosed) return;
      const waitMs = pace.waitMs(webhook.accountId);
      if (waitMs > 0) {
        lookAgain(waitMs);
        continue;
      }
      const place = lanes.enter(webhook);
      if (place === undefined) isShort = true;
      else begin(webhook, place);
    }
  };

  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> | undefined;
  let nextLookMs = Infinity;
  const lookAgain = (delayMs = 0): void => {
    nextLookMs = Math.min(nextLookMs, performance.now() + delayMs);
    if (isClosed || looking !== undefined) return;
    clearTimeout(timer);
    timer = setTimeout(run, Math.max(0, nextLookMs - performance.now())).unref();
  };
  const run = (): void => {
    nextLookMs = Infinity;
    looking = look()
      .then(() => {
        if (isFailing) log.info('delivering events to webhooks again');
        isFailing = false;
      })
      .catch((error: unknown) => {
        if (!isFailing) log.error({ err: error }, 'cannot deliver events to webhooks; retrying');
        isFailing = true;
      })
      .finally(() => {
        looking = undefined;
        lookAgain(lookMs);
      });
  };
  lookAgain(lookMs);
  return {
    close: async () => {
      isClosed = true;
      clearTimeout(timer);
      await looking;
      const cut = setTimeout(() => closing.abort(), CLOSE_MS);
      await Promise.all(running.values());
      clearTimeout(cut);
      await leaveLease(store, LEASE, gatewayId);
    },
  };
}

function receiverOf(
  { installationKey, clock, userAgent }: DispatcherOptions,
  webhook: WorkingWebhook,
): Omit<Receiver, 'post' | 'signal' | 'cut'> {
  const { id, secret, oldSecret, oldSecretUntil } = webhook;
  const isOldValid =
    oldSecret !== null && oldSecretUntil !== null && clock.nowMs() < oldSecretUntil.getTime();
  const sealed = isOldValid ? [secret, oldSecret] : [secret];
  return {
    url: new URL(webhook.url),
    userAgent,
    nowMs: clock.nowMs,
    secrets: sealed.map((each) => openWebhookSecret(installationKey, id, each)),
  };
}

/** Wraps the sender of a round, and calls `onSlow` when its attempts have taken `slowMs`. What the store takes does not count. */
function withSlowAlarm(post: PostEvent, slowMs: number, onSlow: () => void): PostEvent {
  let underWay = 0;
  let sinceMs = 0;
  let leftMs = slowMs;
  let isSlow = false;
  let timer: NodeJS.Timeout | undefined;
  const alarm = (): void => {
    isSlow = true;
    onSlow();
  };
  return async (posted) => {
    if (underWay++ === 0 && !isSlow) {
      sinceMs = performance.now();
      timer = setTimeout(alarm, leftMs);
    }
    try {
      return await post(posted);
    } finally {
      if (--underWay === 0) {
        clearTimeout(timer);
        leftMs -= performance.now() - sinceMs;
      }
    }
  };
}

/** Spreads the rounds of each account over time, by its plan. */
class DeliveryPace {
  readonly #planOf: DispatcherOptions['planOf'];
  /** When the events of an account so far are paid for. */
  readonly #freeAtMs = new LRUCache<string, number>({ max: MAX_REMEMBERED });

  constructor(planOf: DispatcherOptions['planOf']) {
    this.#planOf = planOf;
  }

  /** Returns the milliseconds until a round of an account may begin; 0 or less: it may now. */
  waitMs(accountId: string): number {
    return (this.#freeAtMs.get(accountId) ?? 0) - performance.now();
  }

  /** Counts the events of a round that has ended. */
  count(accountId: string, events: number): void {
    const fromMs = Math.max(this.#freeAtMs.get(accountId) ?? 0, performance.now());
    this.#freeAtMs.set(accountId, fromMs + (events * 1_000) / this.#planOf(accountId).requestsPerSecond);
  }
}

/** Rounds that run concurrently, of all accounts and of one: the slow lane has a place for each webhook that an account may have. */
const PLACES = { quick: { all: 50, ofAccount: 3 }, slow: { all: 100, ofAccount: MAX_WEBHOOKS } } as const;
/** A webhook stays in the slow lane for so long after its last slow round. */
const SLOW_FOR_MS = 60_000;
/** Maximum number of webhooks whose last round is remembered. */
const MAX_REMEMBERED = 10_000;

type Lane = keyof typeof PLACES;

/** The place of a round. Undefined `lane`: it lost it, and `cut` has ended its attempts. */
export type Place = {
  readonly webhook: Served;
  lane: Lane | undefined;
  isSlow: boolean;
  readonly cut: AbortController;
};

type Served = Pick<WorkingWebhook, 'id' | 'accountId'>;

/**
 * The places of rounds. Rounds of webhooks that were not slow in the last minute have a lane of their own, which they leave when they become
 * slow, so that an account takes its places for half a second a minute and webhook.
 */
export class DeliveryLanes {
  readonly #clock: Clock;
  /** Oldest first. */
  readonly #places = { quick: new Set<Place>(), slow: new Set<Place>() } as const;
  readonly #slowUntilMs = new LRUCache<string, number>({ max: MAX_REMEMBERED });
  readonly #lastRounds = new LRUCache<string, number>({ max: MAX_REMEMBERED });
  #rounds = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Returns webhooks with those of accounts with the fewest places first, and of one account those first that were served longest ago. */
  inOrder<T extends Served>(webhooks: readonly T[]): readonly T[] {
    const turns = new Map<string, number>();
    return webhooks
      .toSorted((a, b) => this.#lastRoundOf(a) - this.#lastRoundOf(b))
      .map((webhook) => {
        const lane = this.#laneOf(webhook);
        const key = `${lane} ${webhook.accountId}`;
        const turn = turns.get(key) ?? this.#countOf(webhook, lane);
        turns.set(key, turn + 1);
        return { webhook, turn };
      })
      .toSorted((a, b) => a.turn - b.turn)
      .map(({ webhook }) => webhook);
  }

  /** Takes a place for a round; undefined while there is none for its account. */
  enter(webhook: Served): Place | undefined {
    const lane = this.#laneOf(webhook);
    if (!this.#makeRoom(webhook, lane)) return undefined;
    const place: Place = { webhook, lane, isSlow: false, cut: new AbortController() };
    this.#places[lane].add(place);
    this.#lastRounds.set(webhook.id, ++this.#rounds);
    return place;
  }

  /** Moves a round to the slow lane; it is cut off if there is no place. */
  becomeSlow(place: Place): void {
    place.isSlow = true;
    this.#remember(place);
    if (place.lane !== 'quick') return;
    this.#vacate(place);
    if (this.#makeRoom(place.webhook, 'slow')) {
      place.lane = 'slow';
      this.#places.slow.add(place);
    } else place.cut.abort();
  }

  leave(place: Place): void {
    if (place.isSlow) this.#remember(place);
    this.#vacate(place);
  }

  #vacate(place: Place): void {
    if (place.lane !== undefined) this.#places[place.lane].delete(place);
    place.lane = undefined;
  }

  #remember({ webhook }: Place): void {
    this.#slowUntilMs.set(webhook.id, this.#clock.nowMs() + SLOW_FOR_MS);
  }

  #lastRoundOf({ id }: Served): number {
    return this.#lastRounds.peek(id) ?? 0;
  }

  #laneOf({ id }: Served): Lane {
    return this.#clock.nowMs() < (this.#slowUntilMs.peek(id) ?? 0) ? 'slow' : 'quick';
  }

  #countOf({ accountId }: Served, lane: Lane): number {
    return [...this.#places[lane]].filter(({ webhook }) => webhook.accountId === accountId).length;
  }

  /**
   * True if a round of an account may have a place now. The quick lane keeps more places free for others than the account has already; in the
   * slow lane the account with the most gives up its oldest place for one that stays below it: that round has had the most time.
   */
  #makeRoom(webhook: Served, lane: Lane): boolean {
    const places = this.#places[lane];
    const free = PLACES[lane].all - places.size;
    if (free === 0 && lane === 'quick') return false;
    const own = this.#countOf(webhook, lane);
    if (own >= PLACES[lane].ofAccount) return false;
    if (lane === 'quick') return free > own;
    if (free > 0) return true;
    const most = Object.values(Object.groupBy(places, (place) => place.webhook.accountId))
      .map((ofAccount = []) => ofAccount)
      .reduce((a, b) => (b.length > a.length ? b : a));
    const [oldest] = most;
    if (oldest === undefined || most.length <= own + 1) return false;
    this.#vacate(oldest);
    oldest.cut.abort();
    return true;
  }
}
