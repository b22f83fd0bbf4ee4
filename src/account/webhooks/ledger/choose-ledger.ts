import { serviceError } from '../../../core/service-error.ts';
import { eq } from '../../../store/drizzle.ts';
import type { StoreTransaction } from '../../../store/transaction.ts';
import { webhookLedgers } from '../../../store/webhook-tables.ts';
import type { LedgerChoice } from './ledger-choice.ts';
import type { LedgerCommitment } from '../../../store/webhook-tables.ts';
import { wantsLedger } from './ledger-fact.ts';
import { type LedgerFilter, readFilter, writeFilter } from './ledger-filter.ts';

/** The events of a ledger that a webhook gets, and its progress. */
export type ChosenLedger = {
  readonly network: string;
  readonly commitment: LedgerCommitment;
  readonly filters: readonly LedgerFilter[];
  readonly slot: number | null;
  readonly events: number;
  /** Events that were not tried yet. */
  readonly queued: number;
};

/** Returns the public form of a row. */
export function chosenLedger(row: typeof webhookLedgers.$inferSelect, queued: number): ChosenLedger {
  const { network, commitment, filters, slot, events } = row;
  return { network, commitment, filters: filters.map(readFilter), slot, events, queued };
}

/**
 * Stores a webhook's choice of ledger events, in the transaction that creates or changes it. Events begin at the start of the choice if the
 * webhook got none of this network before, else at its current place. Their numbers continue.
 *
 * @throws ServiceError `bodyInvalid` for filters whose events it would not get.
 */
export async function chooseLedger(
  tx: StoreTransaction,
  webhookId: string,
  { network, commitment, filters, start }: LedgerChoice,
  events: readonly string[],
): Promise<void> {
  assertWanted(filters, events);
  const [before] = await tx
    .select()
    .from(webhookLedgers)
    .where(eq(webhookLedgers.webhookId, webhookId))
    .for('update');
  const isNew = before === undefined || before.network !== network || before.filters.length === 0;
  const isKnown = (filter: LedgerFilter): boolean =>
    !isNew && before.filters.includes(writeFilter(filter)) && !before.toLookUp.includes(filter.value);
  const toLookUp = filters.flatMap((filter) =>
    filter.kind === 'signature' && !isKnown(filter) ? [filter.value] : [],
  );
  const chosen = { network, commitment, filters: filters.map(writeFilter), toLookUp };
  const place = isNew && { slot: start?.slot ?? null, genesis: start?.genesis ?? null, blockhash: null };
  if (before === undefined) await tx.insert(webhookLedgers).values({ webhookId, ...chosen, ...place });
  else
    await tx
      .update(webhookLedgers)
      .set({ ...chosen, ...place, revision: before.revision + 1 })
      .where(eq(webhookLedgers.webhookId, webhookId));
}

/** @throws ServiceError `bodyInvalid` if there are filters, and none of the types of events is one of a ledger. */
export function assertWanted(filters: readonly LedgerFilter[], events: readonly string[]): void {
  if (filters.length === 0 || wantsLedger(events)) return;
  const detail = 'must include a ledger event type such as ledger.*, because filters are set';
  throw serviceError('bodyInvalid', { errors: [{ pointer: '/events', detail }] });
}
