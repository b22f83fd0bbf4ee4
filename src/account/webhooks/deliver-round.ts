import type { Store } from '../../store/open-store.ts';
import type { StoreTransaction } from '../../store/transaction.ts';
import {
  readBlockedWallets,
  readDue,
  readLongestWaiting,
  readQueued,
  readWaitingEventIds,
  type WaitingDelivery,
  type WorkingWebhook,
} from './find-work.ts';
import { readNextEvents, readWaitingEvents } from './next-events.ts';
import type { Outgoing } from './event.ts';
import { DOWN_AFTER, type Outcome, writeOutcomes, type Attempt } from './write-outcomes.ts';
import type { Answer, PostEvent } from './post-event.ts';
import { signEvent } from './sign-event.ts';

/** The reason why a receiver stopped a webhook. */
export type Stop = 'gone' | 'exhausted';

export type RoundOptions = {
  readonly store: Pick<Store, 'db' | 'batched' | 'transaction'>;
  readonly webhook: WorkingWebhook;
  readonly receiver: Receiver;
  /** True: the delivery that has waited longest is tried although its time has not come. */
  readonly isProbe: boolean;
  /** Called in the transaction of the round when the receiver wants no more events, or was tried to the end. */
  readonly stop: (tx: StoreTransaction, stop: Stop) => Promise<void>;
};

/** The result of a round. */
export type Round = { readonly outcomes: readonly Outcome[]; readonly hasMore: boolean };

/** Number of concurrent attempts. */
export const AT_ONCE = 20;
/** With this many deliveries waiting, no new events are read. */
export const MAX_WAITING = 100;
/** No attempt begins later in a round: the others are due in the next one. */
export const ROUND_MS = 15_000;

const NOTHING: Round = { outcomes: [], hasMore: false };

/**
 * Sends deliveries that are due to a webhook, else the next events of ledgers and of the audit log, at most `AT_ONCE`, and stores the
 * outcomes. Events whose outcome was not stored because the process ended are sent again.
 */
export async function deliverRound(options: RoundOptions): Promise<Round> {
  const { store, webhook, receiver, isProbe } = options;
  const due = await readDue(store, webhook.id, receiver.nowMs(), AT_ONCE);
  if (due.length > 0) return retry(options, due);
  const isDown = webhook.failures >= DOWN_AFTER;
  if (isDown && isProbe) {
    const longest = await readLongestWaiting(store, webhook.id);
    if (longest !== undefined) return probe(options, longest);
  }
  return isDown || webhook.waiting >= MAX_WAITING ? NOTHING : proceed(options);
}

async function retry(options: RoundOptions, due: readonly WaitingDelivery[]): Promise<Round> {
  return finish(options, await tryDeliveries(options, due), undefined);
}

/** Tries a delivery before its time. If it fails, its schedule stays as it was. */
async function probe(options: RoundOptions, delivery: WaitingDelivery): Promise<Round> {
  const { failures, nextAt } = delivery;
  const scheduled = { state: 'waiting' as const, failures, nextAtMs: nextAt?.getTime() };
  const outcomes = await tryDeliveries(options, [delivery]);
  return finish(
    options,
    outcomes.map((outcome) => (outcome.state === 'delivered' ? outcome : { ...outcome, ...scheduled })),
    undefined,
  );
}

async function tryDeliveries(
  { store, webhook, receiver }: RoundOptions,
  deliveries: readonly WaitingDelivery[],
): Promise<readonly Outcome[]> {
  return tryEvents(receiver, await readWaitingEvents(store, webhook.accountId, deliveries));
}

async function proceed(options: RoundOptions): Promise<Round> {
  const { store, webhook, receiver } = options;
  const queued = await readQueued(store, webhook.id, AT_ONCE / 2);
  const ofLedgers = await readWaitingEvents(store, webhook.accountId, queued);
  const { events: records, to } = await readNextEvents(store, webhook, AT_ONCE - queued.length);
  if (to === webhook.position && ofLedgers.length === 0) return NOTHING;
  // Waiting deliveries have their own time: a replay reads their records again.
  const ids = records.map(({ event }) => event.id);
  const waitingIds = await readWaitingEventIds(store, webhook.id, ids);
  const events = [...ofLedgers, ...records.filter(({ event }) => !waitingIds.has(event.id))];
  const walletIds = events.flatMap(({ walletId }) => walletId ?? []);
  const blockedIds = await readBlockedWallets(store, webhook.id, walletIds);
  const isBlocked = ({ walletId }: Outgoing): boolean => walletId !== null && blockedIds.has(walletId);
  const waiting = events.filter(isBlocked).map(blocked);
  const tried = await tryEvents(
    receiver,
    events.filter((event) => !isBlocked(event)),
  );
  return finish(options, [...waiting, ...tried], { from: webhook.position, to });
}

async function finish(
  { store, webhook, receiver, stop }: RoundOptions,
  outcomes: readonly Outcome[],
  moved: { readonly from: number; readonly to: number } | undefined,
): Promise<Round> {
  if (receiver.signal.aborted) return NOTHING;
  const written = { webhookId: webhook.id, outcomes, moved, nowMs: receiver.nowMs() };
  const reason = outcomes.some(isGone)
    ? 'gone'
    : outcomes.some(({ state }) => state === 'failed')
      ? 'exhausted'
      : undefined;
  await writeOutcomes(store, written, async (tx) => {
    if (reason !== undefined) await stop(tx, reason);
  });
  return { outcomes, hasMore: outcomes.length > 0 || moved !== undefined };
}

/** A receiver, as one round of attempts sees it. */
export type Receiver = {
  readonly url: URL;
  readonly secrets: readonly Uint8Array[];
  readonly post: PostEvent;
  readonly userAgent: string;
  /** Ends the round: nothing is stored. */
  readonly signal: AbortSignal;
  /** Ends attempts under way: they do not count, and their events are due at once. */
  readonly cut: AbortSignal;
  readonly nowMs: () => number;
};

const GONE = 410;

/**
 * Sends events concurrently, but those of one wallet one after the other; after one that was not delivered, the later events of its wallet
 * wait.
 *
 * @returns the outcome of each, in the given order.
 */
async function tryEvents(receiver: Receiver, events: readonly Outgoing[]): Promise<readonly Outcome[]> {
  const outcomes = new Map<Outgoing, Outcome>();
  const untilMs = receiver.nowMs() + ROUND_MS;
  const isOver = (): boolean => receiver.cut.aborted || receiver.nowMs() >= untilMs;
  const tryInTurn = async (turn: readonly Outgoing[]): Promise<void> => {
    let isBlocked = false;
    for (const outgoing of turn) {
      const outcome: Outcome = isBlocked
        ? blocked(outgoing)
        : isOver()
          ? due(outgoing, receiver.nowMs())
          : await tryEvent(receiver, outgoing);
      isBlocked = outcome.state === 'waiting';
      outcomes.set(outgoing, outcome);
    }
  };
  const turns = Object.values(Object.groupBy(events, ({ walletId, event }) => walletId ?? event.id));
  await Promise.all(turns.map((turn = []) => tryInTurn(turn)));
  return events.flatMap((outgoing) => outcomes.get(outgoing) ?? []);
}

/** An event that is not to be tried before the earlier ones of its wallet. */
function blocked(outgoing: Outgoing): Outcome {
  return { outgoing, attempt: undefined, state: 'waiting', failures: outgoing.failures, nextAtMs: undefined };
}

/** An event that is to be tried in the next round, as if it had not been tried in this one. */
function due(outgoing: Outgoing, nowMs: number): Outcome {
  return { ...blocked(outgoing), nextAtMs: nowMs };
}

/** True for the answer with which a receiver says that it wants no more events (RFC 9110, section 15.5.11). */
function isGone({ attempt }: Outcome): boolean {
  return attempt?.answer.kind === 'answered' && attempt.answer.status === GONE;
}

async function tryEvent(receiver: Receiver, outgoing: Outgoing): Promise<Outcome> {
  const { url, secrets, post, userAgent, nowMs, cut } = receiver;
  const signal = AbortSignal.any([receiver.signal, cut]);
  const atMs = nowMs();
  const startedMs = performance.now();
  const headers = {
    'Content-Type': 'application/json',
    'User-Agent': userAgent,
    ...signEvent(outgoing.event, secrets, atMs),
  };
  const answer = await post({ url, headers, body: outgoing.event.body, signal });
  if (cut.aborted && answer.kind === 'failed') return due(outgoing, nowMs());
  const attempt: Attempt = { atMs, durationMs: performance.now() - startedMs, answer };
  if (isTaken(answer)) return { outgoing, attempt, state: 'delivered', failures: 0, nextAtMs: undefined };
  const failures = outgoing.failures + 1;
  const pauseMs = pauseAfter(failures, answer.kind === 'answered' ? answer.retryAfterMs : undefined);
  if (pauseMs === undefined) return { outgoing, attempt, state: 'failed', failures, nextAtMs: undefined };
  return { outgoing, attempt, state: 'waiting', failures, nextAtMs: nowMs() + pauseMs };
}

function isTaken(answer: Answer): boolean {
  return answer.kind === 'answered' && answer.status >= 200 && answer.status < 300;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** The pauses after failed attempts, 75.6 hours in all: those of Standard Webhooks 1.0. */
export const PAUSES_MS: readonly number[] = [
  ...[5_000, 5 * MINUTE_MS, 30 * MINUTE_MS],
  ...[2, 5, 10, 14, 20, 24].map((hours) => hours * HOUR_MS),
];

/** Maximum number of attempts of an event. */
export const MAX_ATTEMPTS = PAUSES_MS.length + 1;

/** Pauses are longer by up to this share, so that events that failed together are not retried together. */
const JITTER = 0.1;
/** A receiver may ask for a longer pause than the schedule's, up to this one. */
const MAX_ASKED_MS = 24 * HOUR_MS;

/**
 * Returns the pause after a failed attempt; undefined when it was the last one.
 *
 * @param attempts the number of attempts so far, from 1.
 * @param retryAfterMs the pause that the receiver asked for.
 * @param random from 0 to 1.
 */
function pauseAfter(attempts: number, retryAfterMs = 0, random = Math.random()): number | undefined {
  const pause = PAUSES_MS[attempts - 1];
  if (pause === undefined) return undefined;
  return Math.max(Math.round(pause * (1 + JITTER * random)), Math.min(retryAfterMs, MAX_ASKED_MS));
}
