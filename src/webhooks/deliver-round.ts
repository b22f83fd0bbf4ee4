import type { Store } from '../store/open-store.ts';
import type { StoreTransaction } from '../store/transaction.ts';
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
import type { Outgoing } from './outgoing.ts';
import { blocked, isGone, type Receiver, tryEvents } from './try-events.ts';
import { DOWN_AFTER, type Outcome, writeOutcomes } from './write-outcomes.ts';

/** Why a webhook was stopped by its receiver. */
export type Stop = 'gone' | 'exhausted';

export type RoundOptions = {
  readonly store: Pick<Store, 'db' | 'together' | 'transaction'>;
  readonly webhook: WorkingWebhook;
  readonly receiver: Receiver;
  /** True: the delivery that has waited longest is tried although its time has not come. */
  readonly isProbe: boolean;
  /** Called in the transaction of the round when the receiver wants no more events, or was tried to the end. */
  readonly stop: (tx: StoreTransaction, stop: Stop) => Promise<void>;
};

/** What a round did. */
export type Round = { readonly outcomes: readonly Outcome[]; readonly hasMore: boolean };

/** Attempts side by side. */
export const AT_ONCE = 20;
/** With this many deliveries waiting, no new events are read. */
export const MAX_WAITING = 100;

const NOTHING: Round = { outcomes: [], hasMore: false };

/**
 * Sends what is due to a webhook, else the next events of ledgers and of the audit log: at most `AT_ONCE`, and stores what became of them. Events that were
 * sent and not stored, since the process ended, are sent again.
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

/** Tries a delivery before its time. One that fails stays where it is in the schedule. */
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
  // What waits has its own time: records come again after a replay.
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
