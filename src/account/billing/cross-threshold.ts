import { createRequestId } from '../../base/request-id.ts';
import { thresholdCrossings } from '../../store/billing-tables.ts';
import type { StoreTransaction } from '../../store/transaction.ts';
import type { AccountFact } from '../audit/append-audits.ts';
import { lockBooks, setCreditLimit } from '../money/books.ts';
import { operatingAccounts } from '../operators.ts';
import type { AccountMonth } from './account-month.ts';
import type { BillingNotice } from './billing-notice.ts';
import { chargedIn, INVOICE_THRESHOLD, readTerms, writeTerms } from './terms.ts';

/** The notices of a crossing, and its audit records, which belong in the same transaction. */
export type Crossing = { readonly notices: readonly BillingNotice[]; readonly facts: readonly AccountFact[] };

const NOTHING: Crossing = { notices: [], facts: [] };

/**
 * Makes an account that pays by volume invoiced from a month on, if it was charged more than the threshold in it and has a credit limit.
 * Those who operate the server are told of one without a limit, once a month.
 */
export async function crossThreshold(
  tx: StoreTransaction,
  { accountId, month, nowMs }: AccountMonth & { readonly nowMs: number },
): Promise<Crossing> {
  const books = await lockBooks(tx, accountId);
  const { mode, creditLimit, invoicedSince } = await readTerms(tx, accountId);
  if (mode !== 'by_volume' || invoicedSince !== undefined) return NOTHING;
  if ((await chargedIn(tx, accountId, month)) <= INVOICE_THRESHOLD) return NOTHING;
  const noted = await tx
    .insert(thresholdCrossings)
    .values({ accountId, month, crossedAt: new Date(nowMs) })
    .onConflictDoNothing()
    .returning();
  const requestId = createRequestId();
  if (creditLimit === 0n) {
    if (noted.length === 0) return NOTHING;
    const fact = { action: 'billing.threshold', outcome: 'ok', requestId, subject: accountId };
    const facts = (await operatingAccounts(tx)).map((operatorId) => ({ accountId: operatorId, fact }));
    return { notices: [{ kind: 'threshold', accountId }], facts };
  }
  await setCreditLimit(tx, books, creditLimit);
  await writeTerms(tx, accountId, { invoicedSince: month, below: null });
  const fact = { action: 'billing.invoiced', outcome: 'ok', requestId };
  return { notices: [{ kind: 'invoiced', accountId }], facts: [{ accountId, fact }] };
}
