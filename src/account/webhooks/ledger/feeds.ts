import { randomUUID } from 'node:crypto';
import { sql } from '../../../store/drizzle.ts';
import { insertionOf } from '../../../store/insert-rows.ts';
import type { Store } from '../../../store/open-store.ts';
import { webhookDeliveries } from '../../../store/webhook-tables.ts';
import type { LedgerCommitment } from '../../../store/webhook-tables.ts';
import { type LedgerFact, ledgerEvent } from './ledger-fact.ts';
import { type LedgerFilter, readFilter } from './ledger-filter.ts';
import type { LedgerPlace } from './ledger-source.ts';

/** The ledger events of an active webhook, and the place up to which its blocks were read. */
export type Feed = {
  readonly webhookId: string;
  readonly accountId: string;
  readonly network: string;
  readonly commitment: LedgerCommitment;
  readonly filters: readonly LedgerFilter[];
  /** The types of events that it gets. */
  readonly patterns: readonly string[];
  readonly revision: number;
  /** Signatures that may have been in the ledger before their filters. */
  readonly toLookUp: readonly string[];
  /** Undefined: the ledger could not be reached yet. */
  readonly place: LedgerPlace | undefined;
  /** The block of `place`, if it is known. */
  readonly blockhash: string | undefined;
  readonly events: number;
  /** Events that were not tried yet. */
  readonly queued: number;
};

/** A step of a feed: everything up to `to` was read. */
export type FeedStep = {
  /** As it was read from the store. */
  readonly feed: Feed;
  readonly to: LedgerPlace & { readonly blockhash: string | undefined };
  readonly facts: readonly LedgerFact[];
  /** True: the signatures of `toLookUp` were looked up. */
  readonly hasLookedUp?: boolean;
};

/** Thrown when a feed has changed since it was read: nothing was written. */
export class StaleFeed extends Error {
  override readonly name = 'StaleFeed';
}

/** A webhook with this many events that were not tried yet gets no more until half of them are gone: its feed waits. */
export const MAX_QUEUED = 10_000;

type Row = {
  readonly webhook_id: string;
  readonly account_id: string;
  readonly network: string;
  readonly commitment: LedgerCommitment;
  readonly filters: readonly string[];
  readonly patterns: readonly string[];
  readonly revision: number;
  readonly to_look_up: readonly string[];
  readonly slot: string | number | null;
  readonly blockhash: string | null;
  readonly genesis: string | null;
  readonly events: string | number;
  readonly queued: string | number;
};

/** Returns the feeds of active webhooks. `webhookIds`: only these. */
export async function readFeeds(
  { db }: Pick<Store, 'db'>,
  webhookIds?: readonly string[],
): Promise<readonly Feed[]> {
  const chosen =
    webhookIds === undefined ? sql`true` : sql`l.webhook_id = any(${sql.param(webhookIds)}::uuid[])`;
  const { rows } = await db.execute<Row>(sql`
    select l.*, w.account_id, w.events as patterns,
      (select count(*) from webhook_deliveries d where d.webhook_id = l.webhook_id and d.state = 'queued') as queued
    from webhook_ledgers l join webhooks w on w.id = l.webhook_id
    where w.stop is null and cardinality(l.filters) > 0 and ${chosen}
    order by l.webhook_id`);
  return rows.map(readRow);
}

function readRow(row: Row): Feed {
  const { slot, genesis } = row;
  return {
    webhookId: row.webhook_id,
    accountId: row.account_id,
    network: row.network,
    commitment: row.commitment,
    filters: row.filters.map(readFilter),
    patterns: row.patterns,
    revision: row.revision,
    toLookUp: row.to_look_up,
    place: slot === null || genesis === null ? undefined : { slot: Number(slot), genesis },
    blockhash: row.blockhash ?? undefined,
    events: Number(row.events),
    queued: Number(row.queued),
  };
}

/**
 * Stores the events and the places of feeds together, or nothing: a feed that was changed since it was read, by a member or by another
 * process, refuses all of it.
 *
 * @throws StaleFeed.
 */
export async function writeSteps(
  store: Pick<Store, 'transaction'>,
  steps: readonly FeedStep[],
  nowMs: number,
): Promise<void> {
  if (steps.length === 0) return;
  await store.transaction(async (tx) => {
    const list = (values: readonly unknown[]) => sql.param(values);
    const ids = list(steps.map(({ feed }) => feed.webhookId));
    // Members who change a webhook also lock it first: in another order both would wait for each other.
    await tx.execute(sql`select from webhooks where id = any(${ids}::uuid[]) order by id for key share`);
    const { rows } = await tx.execute(sql`
      update webhook_ledgers l set slot = s.to_slot, genesis = s.to_genesis, blockhash = s.to_blockhash, events = l.events + s.made,
        to_look_up = case when s.looked_up then '{}' else l.to_look_up end
      from unnest(
        ${ids}::uuid[], ${list(steps.map(({ feed }) => feed.revision))}::integer[],
        ${list(steps.map(({ feed }) => feed.place?.slot ?? null))}::bigint[],
        ${list(steps.map(({ feed }) => feed.place?.genesis ?? null))}::text[],
        ${list(steps.map(({ feed }) => feed.events))}::bigint[],
        ${list(steps.map(({ to }) => to.slot))}::bigint[], ${list(steps.map(({ to }) => to.genesis))}::text[],
        ${list(steps.map(({ to }) => to.blockhash ?? null))}::text[],
        ${list(steps.map(({ facts }) => facts.length))}::bigint[],
        ${list(steps.map(({ hasLookedUp = false }) => hasLookedUp))}::boolean[]
      ) as s(id, revision, slot, genesis, events, to_slot, to_genesis, to_blockhash, made, looked_up)
      where l.webhook_id = s.id and l.revision = s.revision and l.events = s.events
        and l.slot is not distinct from s.slot and l.genesis is not distinct from s.genesis
      returning l.webhook_id`);
    if (rows.length !== steps.length) throw new StaleFeed('a feed has changed');
    for (const chunk of chunksOf(steps.flatMap((step) => deliveriesOf(step, nowMs))))
      await tx.execute(insertionOf(webhookDeliveries, chunk));
  });
}

/** Maximum number of rows of one statement, which has a deadline. */
const CHUNK_ROWS = 1_000;

function chunksOf<T>(rows: readonly T[]): readonly T[][] {
  return Array.from({ length: Math.ceil(rows.length / CHUNK_ROWS) }, (_, index) =>
    rows.slice(index * CHUNK_ROWS, (index + 1) * CHUNK_ROWS),
  );
}

function deliveriesOf(
  { feed: { webhookId, network, events }, facts }: FeedStep,
  nowMs: number,
): readonly (typeof webhookDeliveries.$inferSelect)[] {
  return facts.map((fact, index) => {
    const position = events + 1 + index;
    const { id: eventId, type, body } = ledgerEvent({ webhookId, network, position }, fact, nowMs);
    return {
      id: randomUUID(),
      webhookId,
      eventId,
      type,
      body,
      network,
      slot: fact.slot,
      position,
      state: 'queued' as const,
      attempts: 0,
      failures: 0,
      createdAt: new Date(nowMs),
      seq: null,
      walletId: null,
      nextAt: null,
      settledAt: null,
    };
  });
}
