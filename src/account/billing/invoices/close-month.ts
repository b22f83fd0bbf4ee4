import type { SQL } from 'drizzle-orm';
import { type ChargedUnits, invoiceLines } from '../../../../runtime/invoice-lines.ts';
import { createRequestId } from '../../../core/request-id.ts';
import { closedMonths, invoices, thresholdCrossings } from '../../../store/billing-tables.ts';
import { and, eq, sql } from '../../../store/drizzle.ts';
import { bookAccounts, operationCounts } from '../../../store/money-tables.ts';
import type { StoreTransaction } from '../../../store/transaction.ts';
import { type AuditFact, appendAudits, type AccountFact } from '../../audit/append-audit.ts';
import { type LockedBooks, lockBooks, postMoney, setCreditLimit } from '../books/books.ts';
import { toCharge } from '../books/operation-count.ts';
import { type Availability, readAvailability } from '../../service-level/read-availability.ts';
import { serviceCreditOf, creditPercentOf } from '../../service-level/service-credit.ts';
import {
  type AccountMonth,
  type BillingTerms,
  readTerms,
  chargedIn,
  costWith,
  INVOICE_THRESHOLD,
  writeTerms,
} from './terms.ts';
import type { BillingNotice } from './billing-notice.ts';
import { readAccountName } from '../../accounts/account-name.ts';
import { documentDigest } from './document-digest.ts';
import { printNumber, takeNumber } from './document-number.ts';
import type { Store } from '../../../store/open-store.ts';
import { monthsLater, monthStartMs } from '../../../core/utc-month.ts';
import { operatingAccounts } from '../../identity/operators.ts';
import type { Invoice } from '../../../../generated/account/types.ts';
import { printUsd } from '../../../../runtime/micro-usd.ts';
import { SPEC_PRICES } from '../books/prices.ts';
import { printAvailability } from '../../service-level/print-availability.ts';

/**
 * Closes a month of an account that is over and recorded, once: books the credit for missed availability, and issues the invoice of an
 * account that was invoiced, or owes something of it. Has no effect while work that counts in it, or in a month before, is under way.
 *
 * @returns the notices.
 */
export async function closeMonth(
  tx: StoreTransaction,
  texts: InvoiceTexts,
  { accountId, month, nowMs }: AccountMonth & { readonly nowMs: number },
): Promise<readonly BillingNotice[]> {
  const books = await lockBooks(tx, accountId);
  if (!(await isReady(tx, { accountId, month }))) return [];
  const crossing = await requireInvoicing(tx, { accountId, month, nowMs });
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
    .update(bookAccounts)
    .set({ closedMonth: sql`greatest(${bookAccounts.closedMonth}, ${month})` })
    .where(and(eq(bookAccounts.accountId, accountId), eq(bookAccounts.kind, 'available')));
}

/** The record of the invoice has its digest, and the credit; without an invoice there is a record only if a credit was booked. */
function factOf({ month, serviceCredit }: Given, issued: IssuedInvoice | undefined): AuditFact | undefined {
  const number = issued?.notice.number;
  if (number === undefined && serviceCredit === 0n) return undefined;
  const charge = toCharge({ operation: 'service_credit', month }, { units: 0n, amount: -serviceCredit });
  return {
    action: number === undefined ? 'service_credit' : 'invoice.issue',
    outcome: 'ok',
    requestId: createRequestId(),
    subject: number ?? month,
    charges: serviceCredit === 0n ? [] : [charge],
    documentSha256: issued?.documentSha256,
  };
}

type Wanted = Omit<InvoiceFacts, 'number' | 'accountName' | 'recipient' | 'due' | 'fromSeq'>;
/** An invoice that was issued, with the digest of its document. */
type IssuedInvoice = {
  readonly notice: Extract<BillingNotice, { readonly kind: 'invoice' }>;
  readonly documentSha256: string;
};

/**
 * Issues the invoice of a month whose credit is booked. The books of the account are locked.
 *
 * @returns undefined if nothing was charged, or the account paid all of it from its balance: there is no invoice then.
 */
async function issueInvoice(
  tx: StoreTransaction,
  texts: InvoiceTexts,
  wanted: Wanted,
): Promise<IssuedInvoice | undefined> {
  const { accountId, month, charged, serviceCredit, nowMs } = wanted;
  const total = charged - serviceCredit;
  const { recipient, ...terms } = await readTerms(tx, accountId);
  const due = unpaidOf(await readTotals(tx, accountId, month), total);
  if (charged === 0n || !(wasInvoicedIn(terms, month) || due > 0n)) return undefined;
  const accountName = await readAccountName(tx, accountId);
  const fromSeq = await readFirstSeq(tx, { accountId, month });
  const number = await takeNumber(tx, 'invoice');
  const printed = printNumber('invoice', number);
  const invoice = writeInvoice(texts, { ...wanted, number: printed, accountName, recipient, due, fromSeq });
  await tx.insert(invoices).values({
    number,
    accountId,
    month,
    total,
    paid: total - due,
    document: JSON.stringify(invoice),
    issuedAt: new Date(nowMs),
  });
  const notice = { kind: 'invoice', accountId, number: printed, due, dueOn: invoice.due_on } as const;
  return { notice, documentSha256: documentDigest('invoice', invoice) };
}

/** A change of terms leaves the months before it as they were. */
function wasInvoicedIn(
  { invoicedSince, invoicedUntil }: Pick<BillingTerms, 'invoicedSince' | 'invoicedUntil'>,
  month: string,
): boolean {
  if (invoicedSince !== undefined && invoicedSince <= month) return true;
  return invoicedUntil !== undefined && month <= invoicedUntil;
}

/** Totals of an account's books, in micro-USD. */
type Totals = {
  /** Charges, less the amounts given back. */
  readonly charged: bigint;
  /** Deposits, less the amounts taken back. */
  readonly deposited: bigint;
};

type Row = { readonly charged: string; readonly deposited: string; readonly counted: string };

/**
 * Reads the totals of an account up to the end of a month: without what counts in later months. Deposits pay the oldest charges first, so
 * all of them are in. Exact while its books are locked.
 */
async function readTotals(
  db: Pick<Store['db'] | StoreTransaction, 'execute'>,
  accountId: string,
  month: string,
): Promise<Totals> {
  const { rows } = await db.execute<Row>(sql`
    select
      coalesce((select balance from ledger_accounts where account_id = ${accountId} and kind = 'revenue'), 0) as charged,
      coalesce((select -balance from ledger_accounts where account_id = ${accountId} and kind = 'funding'), 0) as deposited,
      (select coalesce(sum(amount), 0) from operation_counts where account_id = ${accountId} and month > ${month}) as counted`);
  const [row] = rows;
  return {
    charged: BigInt(row?.charged ?? 0) - BigInt(row?.counted ?? 0),
    deposited: BigInt(row?.deposited ?? 0),
  };
}

/** Returns the part of the latest charges that deposits do not pay, if they pay the oldest charges first. */
function unpaidOf({ charged, deposited }: Totals, lastPart: bigint): bigint {
  const debt = charged - deposited;
  if (debt <= 0n) return 0n;
  return debt < lastPart ? debt : lastPart;
}

/** Maximum difference between the clocks of servers: the record of a charge may be dated this long before its month. */
const CLOCKS_MS = 10 * 60_000;

/**
 * Returns a record number before which no charge of a later month is recorded, in the chain of an account whose month is being closed:
 * charges from now on count in later months, whatever a clock says.
 */
async function readNextSeq(tx: StoreTransaction, { accountId, month }: AccountMonth): Promise<number> {
  const endMs = monthStartMs(monthsLater(month, 1));
  const { rows } = await tx.execute<{ readonly seq: string | null }>(sql`
    select least(
      (select seq + 1 from audit_tips where account_id = ${accountId}),
      ${lowestSeqSince(accountId, endMs - CLOCKS_MS)}
    ) as seq`);
  return Number(rows[0]?.seq ?? 1);
}

/** Returns a record number before which no charge of a month is recorded, as it was stored when the last month before it was closed. */
async function readFirstSeq(tx: StoreTransaction, { accountId, month }: AccountMonth): Promise<number> {
  const { rows } = await tx.execute<{ readonly seq: string | null }>(sql`
    select coalesce(
      (select next_seq from closed_months where account_id = ${accountId} and month < ${month} order by month desc limit 1),
      ${lowestSeqSince(accountId, monthStartMs(month))}
    ) as seq`);
  return Number(rows[0]?.seq ?? 1);
}

/**
 * The lowest record number within a day of the first record that is dated at an instant or later: a clock that is ahead gave later dates to
 * lower numbers. Records are found by time: without the limit of a day, PostgreSQL may walk the whole chain.
 */
function lowestSeqSince(accountId: string, ms: number): SQL {
  const isLater = sql`account_id = ${accountId} and at >= ${new Date(ms).toISOString()}::timestamptz`;
  const first = sql`(select min(at) from audit_records where ${isLater})`;
  const isWanted = sql`${isLater} and at < ${first} + interval '1 day'`;
  return sql`(select min(seq) from (select seq from audit_records where ${isWanted} offset 0) wanted)`;
}

/** The notices of a crossing, and its audit records, which belong in the same transaction. */
type Crossing = { readonly notices: readonly BillingNotice[]; readonly facts: readonly AccountFact[] };

const NOTHING: Crossing = { notices: [], facts: [] };

type Crossed = AccountMonth & {
  readonly nowMs: number;
  /** Micro-USD of an operation that the balance does not pay. Default: none. */
  readonly wanted?: bigint;
};

/**
 * Makes an account that pays by volume invoiced from a month on, if it has a credit limit and its charges in that month exceed the
 * threshold, or would with an operation that it requests now and that the limit allows. Operators are notified of an account without a
 * limit, once a month.
 */
export async function requireInvoicing(
  tx: StoreTransaction,
  { accountId, month, nowMs, wanted = 0n }: Crossed,
): Promise<Crossing> {
  const books = await lockBooks(tx, accountId);
  const { mode, creditLimit, invoicedSince } = await readTerms(tx, accountId);
  if (mode !== 'by_volume' || invoicedSince !== undefined) return NOTHING;
  const isAllowed = wanted > 0n && creditLimit > 0n && books.available - wanted >= -creditLimit;
  const cost = isAllowed
    ? await costWith(tx, { accountId, month, wanted })
    : await chargedIn(tx, accountId, month);
  if (cost <= INVOICE_THRESHOLD) return NOTHING;
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

/** The texts on every invoice of an installation. */
export type InvoiceTexts = {
  readonly seller: string;
  readonly paymentNote: string;
  readonly paymentDays: number;
};

/** The contents of an invoice; amounts in micro-USD. */
type InvoiceFacts = {
  readonly number: string;
  readonly accountId: string;
  readonly accountName: string;
  readonly recipient: string;
  readonly month: string;
  readonly units: readonly ChargedUnits[];
  readonly charged: bigint;
  readonly availability: Availability;
  readonly serviceCredit: bigint;
  /** The part that deposits do not pay. */
  readonly due: bigint;
  readonly fromSeq: number;
  readonly nowMs: number;
};

const DAY_MS = 86_400_000;

/** Writes an invoice. */
function writeInvoice({ seller, paymentNote, paymentDays }: InvoiceTexts, facts: InvoiceFacts): Invoice {
  const { number, accountId, accountName, recipient, month, units, charged, serviceCredit, due } = facts;
  const total = charged - serviceCredit;
  return {
    number,
    account_id: accountId,
    account_name: accountName,
    month,
    issued_at: new Date(facts.nowMs).toISOString(),
    due_on: new Date(facts.nowMs + paymentDays * DAY_MS).toISOString().slice(0, 10),
    seller,
    recipient,
    payment_note: paymentNote,
    currency: 'USD',
    lines: invoiceLines(SPEC_PRICES, units),
    charged_usd: printUsd(charged),
    availability_percent: printAvailability(facts.availability),
    service_credit_percent: creditPercentOf(facts.availability),
    service_credit_usd: printUsd(serviceCredit),
    total_usd: printUsd(total),
    paid_usd: printUsd(total - due),
    due_usd: printUsd(due),
    from_seq: facts.fromSeq,
  };
}
