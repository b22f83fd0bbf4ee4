import type { ChargedUnits } from '../../../runtime/invoice-lines.ts';
import { createRequestId } from '../../base/request-id.ts';
import { closedMonths } from '../../store/billing-tables.ts';
import { and, eq, sql } from '../../store/drizzle.ts';
import { ledgerAccounts, operationCounts } from '../../store/money-tables.ts';
import type { StoreTransaction } from '../../store/transaction.ts';
import type { AuditFact } from '../audit/append-audit.ts';
import { appendAudits } from '../audit/append-audits.ts';
import { type LockedBooks, lockBooks, postMoney } from '../money/books.ts';
import { toCharge } from '../money/operation-count.ts';
import { type Availability, readAvailability } from '../service-level/read-availability.ts';
import { serviceCreditOf } from '../service-level/service-credit.ts';
import type { AccountMonth } from './account-month.ts';
import type { BillingNotice } from './billing-notice.ts';
import { crossThreshold } from './cross-threshold.ts';
import { readNextSeq } from './first-record.ts';
import { type IssuedInvoice, issueInvoice } from './issue-invoice.ts';
import type { InvoiceTexts } from './write-invoice.ts';

/**
 * Closes a month of an account that is over and recorded, once: books the credit for missed availability, and issues the invoice of an
 * account that was invoiced, or owes something of it. Has no effect while work that counts in it, or in a month before, is under way.
 *
 * @returns what happened.
 */
export async function closeMonth(
  tx: StoreTransaction,
  texts: InvoiceTexts,
  { accountId, month, nowMs }: AccountMonth & { readonly nowMs: number },
): Promise<readonly BillingNotice[]> {
  const books = await lockBooks(tx, accountId);
  if (!(await isReady(tx, { accountId, month }))) return [];
  const crossing = await crossThreshold(tx, { accountId, month, nowMs });
  const units = await readUnits(tx, { accountId, month });
  const charged = units.reduce((sum, { amount }) => sum + amount, 0n);
  const availability = await readAvailability(tx, { accountId, month, nowMs });
  const serviceCredit = serviceCreditOf(availability, charged);
  await giveBack(tx, books, { month, serviceCredit, nowMs });
  await keep(tx, { accountId, month, charged, serviceCredit, availability, nowMs });
  const invoiced = { accountId, month, units, charged, availability, serviceCredit, nowMs };
  const issued = await issueInvoice(tx, texts, invoiced);
  const fact = factOf({ month, serviceCredit }, issued);
  const own = fact === undefined ? [] : [{ accountId, fact }];
  await appendAudits(tx, [...crossing.facts, ...own], nowMs);
  return issued === undefined ? crossing.notices : [...crossing.notices, issued.notice];
}

async function isReady(tx: StoreTransaction, { accountId, month }: AccountMonth): Promise<boolean> {
  const { rows } = await tx.execute<{ readonly is_ready: boolean }>(sql`
    select not exists (
      select from closed_months where account_id = ${accountId} and month = ${month}
    ) and not exists (
      select from reservations where account_id = ${accountId} and month <= ${month} and closed_at is null
    ) and not exists (
      select from operation_counts where account_id = ${accountId} and month < ${month} and not is_closed
    ) as is_ready`);
  return rows[0]?.is_ready === true;
}

function readUnits(
  tx: StoreTransaction,
  { accountId, month }: AccountMonth,
): Promise<readonly ChargedUnits[]> {
  const { operation, units, amount } = operationCounts;
  return tx
    .select({ operation, units, amount })
    .from(operationCounts)
    .where(and(eq(operationCounts.accountId, accountId), eq(operationCounts.month, month)));
}

type Given = { readonly month: string; readonly serviceCredit: bigint };

async function giveBack(
  tx: StoreTransaction,
  books: LockedBooks,
  { month, serviceCredit, nowMs }: Given & { readonly nowMs: number },
): Promise<void> {
  if (serviceCredit === 0n) return;
  const parts = { available: serviceCredit, revenue: -serviceCredit };
  const note = `availability of ${month}`;
  await postMoney(tx, books, { kind: 'service_credit', month, note, nowMs, parts });
}

type Kept = AccountMonth &
  Given & { readonly charged: bigint; readonly availability: Availability; readonly nowMs: number };

/** From now on nothing counts in the month. */
async function keep(tx: StoreTransaction, { availability, nowMs, ...kept }: Kept): Promise<void> {
  const { accountId, month } = kept;
  const { minutes, unavailable } = availability;
  const nextSeq = await readNextSeq(tx, { accountId, month });
  await tx.insert(closedMonths).values({ ...kept, minutes, unavailable, nextSeq, closedAt: new Date(nowMs) });
  await tx
    .update(operationCounts)
    .set({ isClosed: true })
    .where(and(eq(operationCounts.accountId, accountId), eq(operationCounts.month, month)));
  await tx
    .update(ledgerAccounts)
    .set({ closedMonth: sql`greatest(${ledgerAccounts.closedMonth}, ${month})` })
    .where(and(eq(ledgerAccounts.accountId, accountId), eq(ledgerAccounts.kind, 'available')));
}

/** The record of the invoice has its digest, and what is given back; without an invoice there is a record only if something is. */
function factOf({ month, serviceCredit }: Given, issued: IssuedInvoice | undefined): AuditFact | undefined {
  const number = issued?.notice.number;
  if (number === undefined && serviceCredit === 0n) return undefined;
  const charge = toCharge({ operation: 'service_credit', month }, { units: 0n, amount: -serviceCredit });
  return {
    ...{ action: number === undefined ? 'service_credit' : 'invoice.issue', outcome: 'ok' },
    ...{ requestId: createRequestId(), subject: number ?? month },
    charges: serviceCredit === 0n ? [] : [charge],
    documentSha256: issued?.documentSha256,
  };
}
