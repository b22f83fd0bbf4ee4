import { randomUUID } from 'node:crypto';
import { and, eq, gt, sql } from '../../store/drizzle.ts';
import { insertRows, upsertRows } from '../../store/insert-rows.ts';
import type { Store } from '../../store/open-store.ts';
import type { StoreTransaction } from '../../store/transaction.ts';
import { webhookAttempts, webhookDeliveries, webhooks } from '../../store/webhook-tables.ts';
import { MAX_READ_ATTEMPTS } from './deliveries.ts';
import type { Outgoing } from './event.ts';
import type { Answer } from './post-event.ts';
import { isWanted } from './wanted-types.ts';

/** An attempt to deliver. */
export type Attempt = { readonly atMs: number; readonly durationMs: number; readonly answer: Answer };

/** The outcome of an event. */
export type Outcome = {
  readonly outgoing: Outgoing;
  /** Undefined: it was not tried, since earlier events of its wallet wait. */
  readonly attempt: Attempt | undefined;
  readonly state: 'waiting' | 'delivered' | 'failed';
  /** Attempts that failed, as the schedule of retries counts them. */
  readonly failures: number;
  /** The next attempt; undefined: none, or not before the earlier events. */
  readonly nextAtMs: number | undefined;
};

export type Outcomes = {
  readonly webhookId: string;
  readonly outcomes: readonly Outcome[];
  /** The range of the audit log that was read; undefined: none. */
  readonly moved: { readonly from: number; readonly to: number } | undefined;
  readonly nowMs: number;
};

/** A receiver that failed this often in a row is down: it gets no new events until it answers. */
export const DOWN_AFTER = 3;

/**
 * Stores the outcomes of events, and the new position unless it was changed meanwhile, in one transaction. Events that were already stored
 * get one more attempt, and keep the newest hundred. When a receiver that was down answers, waiting deliveries become due at once. A record that the webhook no longer
 * gets waits for no further attempt.
 *
 * @param finish does the other work of the transaction.
 */
export async function writeOutcomes(
  store: Pick<Store, 'transaction'>,
  written: Outcomes,
  finish: (tx: StoreTransaction) => Promise<void>,
): Promise<void> {
  const { webhookId, moved, nowMs } = written;
  await store.transaction(async (tx) => {
    const before = await lock(tx, webhookId);
    if (before === undefined) return;
    const outcomes = written.outcomes.map((outcome) => withoutUnwanted(outcome, before.events));
    await writeDeliveries(tx, { ...written, outcomes });
    const failures = failuresAfter(before.failures, outcomes);
    if (failures === 0 && before.failures >= DOWN_AFTER) await bringForward(tx, written);
    await releaseWallets(tx, { ...written, outcomes });
    const isMoved = moved !== undefined && moved.from === before.position;
    await tx
      .update(webhooks)
      .set({
        failures,
        failingSince: failures === 0 ? null : (before.failingSince ?? new Date(nowMs)),
        ...(isMoved && { position: moved.to }),
      })
      .where(eq(webhooks.id, webhookId));
    await finish(tx);
  });
}

async function lock(tx: StoreTransaction, webhookId: string) {
  const { position, failures, failingSince, events } = webhooks;
  const [row] = await tx
    .select({ position, failures, failingSince, events })
    .from(webhooks)
    .where(eq(webhooks.id, webhookId))
    .for('update');
  return row;
}

function withoutUnwanted(outcome: Outcome, events: readonly string[]): Outcome {
  const { outgoing, state } = outcome;
  if (state !== 'waiting' || outgoing.seq === null || isWanted(events, outgoing.event.type)) return outcome;
  return { ...outcome, state: 'failed', nextAtMs: undefined };
}

/** Returns the number of attempts that failed since the last success. */
function failuresAfter(before: number, outcomes: readonly Outcome[]): number {
  return outcomes
    .filter(({ attempt }) => attempt !== undefined)
    .reduce((failures, { state }) => (state === 'delivered' ? 0 : failures + 1), before);
}

async function writeDeliveries(
  tx: StoreTransaction,
  { webhookId, outcomes, nowMs }: Outcomes,
): Promise<void> {
  const rows = outcomes.map((outcome) => deliveryOf(webhookId, outcome, nowMs));
  const stored = await upsertRows<typeof webhookDeliveries, Stored>(tx, webhookDeliveries, rows, {
    target: [webhookDeliveries.webhookId, webhookDeliveries.eventId],
    set: sql`
      state = excluded.state, failures = excluded.failures, next_at = excluded.next_at, settled_at = excluded.settled_at,
      attempts = webhook_deliveries.attempts + excluded.attempts`,
    returning: [webhookDeliveries.id, webhookDeliveries.eventId, webhookDeliveries.attempts],
  });
  const byEvent = new Map(stored.map((row) => [row.event_id, row]));
  const made = outcomes.flatMap(({ outgoing, attempt, state }) => {
    const row = byEvent.get(outgoing.event.id);
    return attempt === undefined || row === undefined ? [] : [attemptOf(row, attempt, state === 'delivered')];
  });
  insertRows(tx, webhookAttempts, made);
  const crowded = made.filter(({ number }) => number > MAX_READ_ATTEMPTS);
  if (crowded.length > 0)
    await deleteUnread(
      tx,
      crowded.map(({ deliveryId }) => deliveryId),
    );
}

/** Deletes the attempts of deliveries that are too old to be read. */
async function deleteUnread(tx: StoreTransaction, deliveryIds: readonly string[]): Promise<void> {
  await tx.execute(sql`
    delete from webhook_attempts a using webhook_deliveries d
    where d.id = any(${sql.param(deliveryIds)}::uuid[]) and a.delivery_id = d.id
      and a.number <= d.attempts - ${MAX_READ_ATTEMPTS}::integer`);
}

type Stored = { readonly id: string; readonly event_id: string; readonly attempts: number };

function deliveryOf(
  webhookId: string,
  { outgoing, attempt, state, failures, nextAtMs }: Outcome,
  nowMs: number,
): typeof webhookDeliveries.$inferSelect {
  const { event, seq, walletId } = outgoing;
  return {
    id: randomUUID(),
    webhookId,
    eventId: event.id,
    type: event.type,
    seq,
    walletId,
    state,
    failures,
    body: seq === null ? event.body : null,
    network: null,
    slot: null,
    position: null,
    attempts: attempt === undefined ? 0 : 1,
    nextAt: nextAtMs === undefined ? null : new Date(nextAtMs),
    createdAt: new Date(attempt?.atMs ?? nowMs),
    settledAt: state === 'waiting' ? null : new Date(nowMs),
  };
}

function attemptOf(
  { id, attempts }: Stored,
  { atMs, durationMs, answer }: Attempt,
  isDelivered: boolean,
): typeof webhookAttempts.$inferSelect {
  const isAnswered = answer.kind === 'answered';
  return {
    deliveryId: id,
    number: attempts,
    at: new Date(atMs),
    durationMs: Math.round(durationMs),
    status: isAnswered ? answer.status : null,
    answer: isAnswered && !isDelivered ? answer.text : null,
    error: isAnswered ? null : answer.error,
  };
}

/** A retry that was due earlier only because of this does not count in the schedule. */
async function bringForward(tx: StoreTransaction, { webhookId, nowMs }: Outcomes): Promise<void> {
  const { failures, nextAt, state } = webhookDeliveries;
  await tx
    .update(webhookDeliveries)
    .set({ nextAt: new Date(nowMs), failures: sql`greatest(${failures} - 1, 0)` })
    .where(
      and(...[eq(webhookDeliveries.webhookId, webhookId), eq(state, 'waiting')], gt(nextAt, new Date(nowMs))),
    );
}

/**
 * Makes the next event of each wallet due whose event was delivered or failed for good; also one that was to wait for an earlier event
 * which another process has delivered meanwhile.
 */
async function releaseWallets(tx: StoreTransaction, { webhookId, outcomes, nowMs }: Outcomes): Promise<void> {
  const walletIds = outcomes.flatMap(({ state, attempt, outgoing }) =>
    outgoing.walletId === null || (state === 'waiting' && attempt !== undefined) ? [] : [outgoing.walletId],
  );
  if (walletIds.length === 0) return;
  await tx.execute(sql`
    update webhook_deliveries d set next_at = ${new Date(nowMs).toISOString()}::timestamptz
    from (
      select wallet_id, min(seq) as seq from webhook_deliveries
      where webhook_id = ${webhookId} and state = 'waiting' and wallet_id = any(${sql.param(walletIds)}::text[])
      group by wallet_id
    ) first
    where d.webhook_id = ${webhookId} and d.state = 'waiting' and d.wallet_id = first.wallet_id and d.seq = first.seq
      and d.next_at is null`);
}
