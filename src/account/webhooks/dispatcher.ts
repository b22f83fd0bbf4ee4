import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import type { InstallationKey } from '../sealing/installation-key.ts';
import type { Clock } from '../../core/clock.ts';
import type { Store } from '../../store/open-store.ts';
import type { StoreTransaction } from '../../store/transaction.ts';
import { deliverRound, type Round, type Stop, type Receiver } from './deliver-round.ts';
import { findWork, type WorkingWebhook } from './find-work.ts';
import { holdLease, leaveLease } from '../processes/lease.ts';
import type { PostEvent } from './post-event.ts';
import { releaseStranded } from './release-stranded.ts';
import { openWebhookSecret } from './secrets.ts';
import { DOWN_AFTER } from './write-outcomes.ts';

export type DispatcherOptions = {
  readonly store: Store;
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
/** Webhooks that are served concurrently, of all accounts and of one. Slow webhooks have places of their own, and delay only each other. */
const PLACES = { quick: { all: 50, ofAccount: 10 }, slow: { all: 100, ofAccount: 10 } } as const;
/** A round that takes longer is slow, and so is the next one of its webhook. */
const SLOW_MS = 500;
/** Maximum number of webhooks whose last round is remembered. */
const MAX_SERVED = 10_000;
/** Pause of a webhook after an error of this server. */
const REST_MS = 10_000;
/** Between probes of a receiver that is down, each pause twice the one before. */
const FIRST_PROBE_MS = 10_000;
const LAST_PROBE_MS = 300_000;

type Running = { readonly accountId: string; lane: keyof typeof PLACES; ended: Promise<void> };

type Probe = { readonly atMs: number; readonly pauseMs: number };

/** Starts to deliver, while this process has the lease: of several processes on one store, only one delivers. */
export function startDispatcher(options: DispatcherOptions): Dispatcher {
  const { store, gatewayId, clock, log, lookMs = LOOK_MS, slowMs = SLOW_MS } = options;
  const running = new Map<string, Running>();
  const served = new LRUCache<string, number>({ max: MAX_SERVED });
  const slow = new LRUCache<string, true>({ max: MAX_SERVED });
  let rounds = 0;
  const probes = new Map<string, Probe>();
  const resting = new Map<string, number>();
  const closing = new AbortController();
  let isClosed = false;
  let isFailing = false;
  let isReleased = false;

  /** True once for each pause of a receiver that is down. */
  const takeProbe = ({ id, failures }: WorkingWebhook): boolean => {
    if (failures < DOWN_AFTER) {
      probes.delete(id);
      return false;
    }
    const nowMs = clock.nowMs();
    const probe = probes.get(id);
    if (probe !== undefined && nowMs < probe.atMs) return false;
    const pauseMs = Math.min(probe === undefined ? FIRST_PROBE_MS : 2 * probe.pauseMs, LAST_PROBE_MS);
    probes.set(id, { atMs: nowMs + pauseMs, pauseMs });
    return probe !== undefined;
  };

  const work = async (webhook: WorkingWebhook): Promise<void> => {
    try {
      const round = await deliverRound({
        store,
        webhook,
        receiver: receiverOf(options, webhook, closing.signal),
        isProbe: takeProbe(webhook),
        stop: (tx, stop) => options.onStop(tx, webhook, stop, clock.nowMs()),
      });
      options.onRound(webhook, round);
      resting.delete(webhook.id);
      if (round.hasMore) lookAgain();
    } catch (error) {
      resting.set(webhook.id, clock.nowMs() + REST_MS);
      log.error({ err: error, webhook: webhook.id }, 'cannot deliver events to a webhook; retrying');
    }
  };

  /** 0: no round is remembered. */
  const lastRoundOf = ({ id }: WorkingWebhook): number => served.peek(id) ?? 0;
  const inLane = (lane: Running['lane']): readonly Running[] =>
    [...running.values()].filter((each) => each.lane === lane);
  const isFull = (lane: Running['lane']): boolean => inLane(lane).length >= PLACES[lane].all;
  const hasPlace = (lane: Running['lane'], accountId: string): boolean =>
    !isFull(lane) &&
    inLane(lane).filter((each) => each.accountId === accountId).length < PLACES[lane].ofAccount;

  const begin = (webhook: WorkingWebhook): void => {
    const { id, accountId } = webhook;
    const place: Running = { accountId, lane: laneOf(id), ended: Promise.resolve() };
    let isSlow = false;
    const timer = setTimeout(() => {
      isSlow = true;
      slow.set(id, true);
      // Its place is free for another.
      place.lane = 'slow';
      lookAgain();
    }, slowMs);
    running.set(id, place);
    place.ended = work(webhook).finally(() => {
      clearTimeout(timer);
      if (!isSlow) slow.delete(id);
      running.delete(id);
    });
  };
  const laneOf = (id: string): Running['lane'] => (slow.has(id) ? 'slow' : 'quick');

  /** Webhooks that were served longest ago come first. */
  const look = async (): Promise<void> => {
    if (!(await holdLease(store, LEASE, gatewayId))) return;
    if (!isReleased) await releaseStranded(store.db, clock.nowMs());
    isReleased = true;
    // A round that ends during the search has advanced its webhook: the search may have found its earlier state.
    const before = new Set(running.keys());
    const found = await findWork(store);
    for (const webhook of found.toSorted((a, b) => lastRoundOf(a) - lastRoundOf(b))) {
      if (isClosed || (isFull('quick') && isFull('slow'))) return;
      const { id, accountId } = webhook;
      if (before.has(id) || running.has(id) || clock.nowMs() < (resting.get(id) ?? 0)) continue;
      if (!hasPlace(laneOf(id), accountId)) continue;
      served.set(id, ++rounds);
      begin(webhook);
    }
  };

  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> | undefined;
  let isAsked = false;
  const lookAgain = (): void => {
    isAsked = true;
    if (looking === undefined) schedule(0);
  };
  const schedule = (delayMs: number): void => {
    if (isClosed) return;
    clearTimeout(timer);
    timer = setTimeout(run, delayMs).unref();
  };
  const run = (): void => {
    isAsked = false;
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
        schedule(isAsked ? 0 : lookMs);
      });
  };
  schedule(lookMs);
  return {
    close: async () => {
      isClosed = true;
      clearTimeout(timer);
      await looking;
      const cut = setTimeout(() => closing.abort(), CLOSE_MS);
      await Promise.all([...running.values()].map(({ ended }) => ended));
      clearTimeout(cut);
      await leaveLease(store, LEASE, gatewayId);
    },
  };
}

function receiverOf(
  { installationKey, clock, postFor, userAgent }: DispatcherOptions,
  webhook: WorkingWebhook,
  signal: AbortSignal,
): Receiver {
  const { id, secret, oldSecret, oldSecretUntil } = webhook;
  const isOldValid =
    oldSecret !== null && oldSecretUntil !== null && clock.nowMs() < oldSecretUntil.getTime();
  const sealed = isOldValid ? [secret, oldSecret] : [secret];
  return {
    url: new URL(webhook.url),
    post: postFor(webhook),
    userAgent,
    signal,
    cut: new AbortController().signal,
    nowMs: clock.nowMs,
    secrets: sealed.map((each) => openWebhookSecret(installationKey, id, each)),
  };
}
