import { randomUUID } from 'node:crypto';
import { PLANS } from '../../../generated/plans.ts';
import type { InstallationKey } from '../sealing/installation-key.ts';
import { serviceError } from '../../core/service-error.ts';
import { auditTips } from '../../store/audit-tables.ts';
import { anyOf } from '../../store/any-of.ts';
import { and, count, desc, eq, isNotNull, sql } from '../../store/drizzle.ts';
import type { Store } from '../../store/open-store.ts';
import { accounts } from '../../store/tables.ts';
import type { StoreTransaction } from '../../store/transaction.ts';
import { webhookDeliveries, webhookLedgers, webhooks } from '../../store/webhook-tables.ts';
import { assertWanted, type ChosenLedger, chooseLedger, chosenLedger } from './ledger/choose-ledger.ts';
import type { LedgerChoice } from './ledger/ledger-choice.ts';
import { releaseStranded } from './release-stranded.ts';
import { noteAct, readActs } from './limited-acts.ts';
import { createWebhookSecret } from './secrets.ts';
import { isWanted } from './wanted-types.ts';

/** A webhook, with the number of its waiting deliveries and its ledger events; null: it gets none. */
export type Webhook = typeof webhooks.$inferSelect & {
  readonly waiting: number;
  readonly ledger: ChosenLedger | null;
};

/** The settings of a webhook that members choose. */
export type WebhookChoice = Pick<Webhook, 'name' | 'url' | 'events' | 'isOrdered'> & {
  readonly ledger?: LedgerChoice | undefined;
};

/** A change: undefined settings stay as they are. `isActive` turns it on or off. */
export type WebhookChange = { readonly [K in keyof WebhookChoice]?: WebhookChoice[K] | undefined } & {
  readonly isActive?: boolean | undefined;
};

/** A webhook and the text of its secret, which is stored sealed only. */
export type NewWebhook = { readonly webhook: Webhook; readonly secret: string };

export type WebhookDeps = {
  readonly store: Pick<Store, 'db' | 'transaction'>;
  readonly installationKey: InstallationKey;
  /** Records a change of a webhook, with its id, in the transaction that makes it. */
  readonly record: (tx: StoreTransaction, id: string) => Promise<void>;
};

/** The webhook of an account. */
export type OwnWebhook = { readonly accountId: string; readonly id: string };

/** Maximum number of webhooks of an account. */
export const MAX_WEBHOOKS = 20;

type Reads = Pick<Store['db'], 'select'>;

/** Returns the webhooks of an account, newest first. */
export function readWebhooks({ db }: Pick<Store, 'db'>, accountId: string): Promise<readonly Webhook[]> {
  return selectWebhooks(db, eq(webhooks.accountId, accountId));
}

/** Returns a webhook. @throws ServiceError `webhookNotFound` for one of another account too. */
export async function readWebhook(db: Reads, { accountId, id }: OwnWebhook): Promise<Webhook> {
  const [found] = await selectWebhooks(db, and(eq(webhooks.accountId, accountId), eq(webhooks.id, id)));
  if (found === undefined) throw serviceError('webhookNotFound', { id });
  return found;
}

/**
 * Creates a webhook that gets the events of the account from now on.
 *
 * @throws ServiceError `webhooksTooMany`; `bodyInvalid` for filters whose events it would not get.
 */
export async function createWebhook(
  { store, installationKey, record }: WebhookDeps,
  accountId: string,
  { ledger, ...choice }: WebhookChoice,
  nowMs: number,
): Promise<NewWebhook> {
  const id = randomUUID();
  const { text, sealed } = createWebhookSecret(installationKey, id);
  const webhook = await store.transaction(async (tx) => {
    // Webhooks of an account are counted one at a time.
    await tx.select({ id: accounts.id }).from(accounts).where(eq(accounts.id, accountId)).for('update');
    const [made] = await tx
      .select({ value: count() })
      .from(webhooks)
      .where(eq(webhooks.accountId, accountId));
    if ((made?.value ?? 0) >= MAX_WEBHOOKS) throw serviceError('webhooksTooMany', { limit: MAX_WEBHOOKS });
    const [tip] = await tx
      .select({ seq: auditTips.seq })
      .from(auditTips)
      .where(eq(auditTips.accountId, accountId));
    const row = {
      id,
      accountId,
      ...choice,
      secret: sealed,
      position: tip?.seq ?? 0,
      createdAt: new Date(nowMs),
    };
    await tx.insert(webhooks).values(row);
    if (ledger !== undefined) await chooseLedger(tx, id, ledger, choice.events);
    await record(tx, id);
    return readWebhook(tx, { accountId, id });
  });
  return { webhook, secret: text };
}

type CheckedChange = {
  /** Throws if the webhook, which is locked, may not be changed. */
  readonly check?: (before: Webhook) => void;
};

/**
 * Changes a webhook. Waiting deliveries are tried at once when it is turned on; records that it no longer gets stop waiting, so that none
 * of them goes to a URL chosen later by someone who may not read them.
 *
 * @throws ServiceError `webhookNotFound`; `bodyInvalid` for filters whose events it would not get.
 */
export function changeWebhook(
  { store, record, check }: Pick<WebhookDeps, 'store' | 'record'> & CheckedChange,
  own: OwnWebhook,
  { isActive, name, url, events, isOrdered, ledger }: WebhookChange,
  nowMs: number,
): Promise<Webhook> {
  return store.transaction(async (tx) => {
    const { stop, ...before } = await lockWebhook(tx, own);
    check?.({ stop, ...before });
    const chosen = {
      ...(name !== undefined && { name }),
      ...(url !== undefined && { url }),
      ...(events !== undefined && { events: [...events] }),
      ...(isOrdered !== undefined && { isOrdered }),
      ...(isActive === true && { stop: null, stoppedAt: null, failures: 0, failingSince: null }),
      ...(isActive === false && stop === null && { stop: 'turned_off' as const, stoppedAt: new Date(nowMs) }),
    };
    if (Object.keys(chosen).length > 0) await tx.update(webhooks).set(chosen).where(eq(webhooks.id, own.id));
    if (ledger !== undefined) await chooseLedger(tx, own.id, ledger, events ?? before.events);
    else if (before.ledger !== null) assertWanted(before.ledger.filters, events ?? before.events);
    if (events !== undefined) await endUnwanted(tx, own.id, events, nowMs);
    if (isActive === true && stop !== null) await retryAll(tx, own.id, nowMs);
    await record(tx, own.id);
    return readWebhook(tx, own);
  });
}

/** Replaces the secret; the old one signs too for `overlapMs`. @throws ServiceError `webhookNotFound`. */
export async function rotateSecret(
  { store, installationKey, record, check }: WebhookDeps & CheckedChange,
  own: OwnWebhook,
  overlapMs: number,
  nowMs: number,
): Promise<NewWebhook> {
  const { text, sealed } = createWebhookSecret(installationKey, own.id);
  const webhook = await store.transaction(async (tx) => {
    const before = await lockWebhook(tx, own);
    check?.(before);
    const { secret } = before;
    const old =
      overlapMs === 0
        ? { oldSecret: null, oldSecretUntil: null }
        : { oldSecret: secret, oldSecretUntil: new Date(nowMs + overlapMs) };
    await tx
      .update(webhooks)
      .set({ secret: sealed, ...old })
      .where(eq(webhooks.id, own.id));
    await record(tx, own.id);
    return readWebhook(tx, own);
  });
  return { webhook, secret: text };
}

const {
  of_webhook: OF_WEBHOOK,
  of_account: OF_ACCOUNT,
  window_seconds: WINDOW_S,
} = PLANS.webhook_replay_limit;
/** When a replay is under way, another one may be asked for after this time. */
const REPLAYING_RETRY_S = 60;

/**
 * Moves a webhook back, so that events are sent again from a record on.
 *
 * @throws ServiceError `webhookNotFound`; `webhookReplaying` while an earlier replay is not over; `webhookReplaysLimited`.
 */
export function replayFrom(
  { store, record }: Pick<WebhookDeps, 'store' | 'record'>,
  own: OwnWebhook,
  fromSeq: number,
  nowMs: number,
): Promise<Webhook> {
  return store.transaction(async (tx) => {
    const { position, replayUntil: until } = await lockWebhook(tx, own);
    if (until !== null && position < until)
      throw serviceError('webhookReplaying', { position, until, retryAfterSeconds: REPLAYING_RETRY_S });
    const moved = { position: Math.min(position, fromSeq - 1), replayUntil: position };
    await tx.update(webhooks).set(moved).where(eq(webhooks.id, own.id));
    await record(tx, own.id);
    // With the audit log locked, replays of the account are counted one at a time.
    await assertMayReplay(tx, own, nowMs);
    await noteAct(tx, own, 'replay', nowMs);
    return readWebhook(tx, own);
  });
}

async function assertMayReplay(
  tx: StoreTransaction,
  { accountId, id }: OwnWebhook,
  nowMs: number,
): Promise<void> {
  const windowMs = WINDOW_S * 1_000;
  const ofAccount = await readActs(tx, { accountId, kind: 'replay' }, nowMs - windowMs);
  const ofWebhook = ofAccount.filter(({ webhookId }) => webhookId === id);
  const counted = [
    { scope: 'a webhook', limit: OF_WEBHOOK, acts: ofWebhook },
    { scope: 'an account', limit: OF_ACCOUNT, acts: ofAccount },
  ];
  for (const { scope, limit, acts } of counted) {
    const oldest = acts.at(-limit);
    if (oldest === undefined) continue;
    const retryAfterSeconds = Math.max(1, Math.ceil((oldest.at.getTime() + windowMs - nowMs) / 1_000));
    throw serviceError('webhookReplaysLimited', {
      scope,
      limit,
      windowSeconds: WINDOW_S,
      retryAfterSeconds,
    });
  }
}

/** Locks a webhook until the transaction ends. @throws ServiceError `webhookNotFound`. */
export async function lockWebhook(tx: StoreTransaction, own: OwnWebhook): Promise<Webhook> {
  await tx.select({ id: webhooks.id }).from(webhooks).where(eq(webhooks.id, own.id)).for('update');
  return readWebhook(tx, own);
}

function selectWebhooks(db: Reads, condition: ReturnType<typeof and>): Promise<Webhook[]> {
  const waiting = sql<number>`(
    select count(*) from webhook_deliveries d where d.webhook_id = webhooks.id and d.state = 'waiting'
  )`.mapWith(Number);
  const queued = sql<number>`(
    select count(*) from webhook_deliveries d where d.webhook_id = webhooks.id and d.state = 'queued'
  )`.mapWith(Number);
  return db
    .select({ webhook: webhooks, ledger: webhookLedgers, waiting, queued })
    .from(webhooks)
    .leftJoin(webhookLedgers, eq(webhookLedgers.webhookId, webhooks.id))
    .where(condition)
    .orderBy(desc(webhooks.createdAt), desc(webhooks.id))
    .then((rows) =>
      rows.map((row) => ({
        ...row.webhook,
        waiting: row.waiting,
        ledger: row.ledger && chosenLedger(row.ledger, row.queued),
      })),
    );
}

async function endUnwanted(
  tx: StoreTransaction,
  webhookId: string,
  events: readonly string[],
  nowMs: number,
): Promise<void> {
  const { state, type } = webhookDeliveries;
  const waiting = and(
    eq(webhookDeliveries.webhookId, webhookId),
    eq(state, 'waiting'),
    isNotNull(webhookDeliveries.seq),
  );
  const types = await tx.selectDistinct({ type }).from(webhookDeliveries).where(waiting);
  const unwanted = types.map((row) => row.type).filter((each) => !isWanted(events, each));
  await tx
    .update(webhookDeliveries)
    .set({ state: 'failed', nextAt: null, settledAt: new Date(nowMs) })
    .where(and(waiting, anyOf(type, unwanted)));
  await releaseStranded(tx, nowMs, webhookId);
}

async function retryAll(tx: StoreTransaction, webhookId: string, nowMs: number): Promise<void> {
  const { state, nextAt } = webhookDeliveries;
  await tx
    .update(webhookDeliveries)
    .set({
      failures: 0,
      nextAt: sql`case when ${nextAt} is null then null else ${new Date(nowMs).toISOString()}::timestamptz end`,
    })
    .where(and(eq(webhookDeliveries.webhookId, webhookId), eq(state, 'waiting')));
}
