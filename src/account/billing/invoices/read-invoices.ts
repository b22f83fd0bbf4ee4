import type { SQL } from 'drizzle-orm';
import type { Invoice } from '../../../../generated/account/types.ts';
import { serviceError } from '../../../core/service-error.ts';
import { creditNotes } from '../../../store/billing-tables.ts';
import { asc, eq, sql } from '../../../store/drizzle.ts';
import type { Store } from '../../../store/open-store.ts';
import type { StoreTransaction } from '../../../store/transaction.ts';
import { DEVELOPMENT } from '../../accounts/account-name.ts';
import { printNumber, readInvoiceNumber } from './document-number.ts';

/** An invoice in a list, with its credited and outstanding amounts. Amounts in micro-USD. */
export type ListedInvoice = {
  readonly number: string;
  readonly accountId: string;
  readonly accountName: string;
  readonly month: string;
  readonly issuedAt: Date;
  readonly dueOn: string;
  readonly total: bigint;
  /** Sum of its credit notes. */
  readonly credited: bigint;
  /** The amount left to pay now: deposits pay the oldest charges first. */
  readonly outstanding: bigint;
};

/** A credit note. */
export type CreditNote = {
  readonly number: string;
  readonly invoiceNumber: string;
  readonly amount: bigint;
  readonly reason: string;
  readonly issuedAt: Date;
};

/** An invoice as it was issued, with its credit notes and its outstanding amount. */
export type InvoiceDetails = {
  readonly invoice: Invoice;
  readonly notes: readonly CreditNote[];
  readonly credited: bigint;
  readonly outstanding: bigint;
};

type Db = Pick<Store['db'] | StoreTransaction, 'execute' | 'select'>;

type Row = {
  readonly number: string;
  readonly account_id: string;
  readonly name: string | null;
  readonly month: string;
  readonly issued_at: string;
  readonly document: string;
  readonly total: string;
  readonly credited: string;
  readonly newer: string;
  readonly debt: string;
};

/** Lists invoices of an account, or of all, newest first: at most `limit` with lower numbers than `before`. */
export async function listInvoices(
  db: Db,
  { accountId, before, limit }: InvoicePage,
): Promise<readonly ListedInvoice[]> {
  const isOwn = accountId === undefined ? sql`true` : sql`account_id = ${accountId}`;
  const isBefore = before === undefined ? sql`true` : sql`number < ${before}`;
  const rows = await readRows(
    db,
    sql`select * from invoices where ${isOwn} and ${isBefore} order by number desc limit ${limit}`,
  );
  return rows.map(toListed);
}

/** A page of a list of invoices. */
export type InvoicePage = {
  /** Undefined: all accounts. */
  readonly accountId?: string | undefined;
  readonly before?: number | undefined;
  readonly limit: number;
};

/** Returns an invoice by its printed number, of an account or of any. @throws ServiceError `invoiceNotFound`. */
export async function readInvoice(
  db: Db,
  { number, accountId }: { readonly number: string; readonly accountId?: string | undefined },
): Promise<InvoiceDetails> {
  const found = readInvoiceNumber(number);
  const isOwn = accountId === undefined ? sql`true` : sql`account_id = ${accountId}`;
  const chosen = sql`select * from invoices where number = ${found ?? 0} and ${isOwn}`;
  const [row] = found === undefined ? [] : await readRows(db, chosen);
  if (row === undefined) throw serviceError('invoiceNotFound', { number });
  const { credited, outstanding } = toListed(row);
  const notes = await readNotes(db, Number(row.number));
  return { invoice: JSON.parse(row.document) as Invoice, notes, credited, outstanding };
}

async function readNotes(db: Db, invoiceNumber: number): Promise<readonly CreditNote[]> {
  const rows = await db
    .select()
    .from(creditNotes)
    .where(eq(creditNotes.invoiceNumber, invoiceNumber))
    .orderBy(asc(creditNotes.number));
  return rows.map((row) => ({
    number: printNumber('credit_note', row.number),
    invoiceNumber: printNumber('invoice', row.invoiceNumber),
    amount: row.amount,
    reason: row.reason,
    issuedAt: row.issuedAt,
  }));
}

/** `newer`: the sum of the later invoices. `debt`: the amount that the account owes on all of them, without months that are not closed. */
async function readRows(db: Db, chosen: SQL): Promise<readonly Row[]> {
  const creditedOf = (number: SQL): SQL =>
    sql`(select coalesce(sum(amount), 0) from credit_notes c where c.invoice_number = ${number})`;
  const balanceOf = (kind: 'revenue' | 'funding'): SQL =>
    sql`coalesce((select balance from ledger_accounts l where l.account_id = i.account_id and l.kind = ${kind}), 0)`;
  const { rows } = await db.execute<Row>(sql`
    select i.number, i.account_id, a.name, i.month, i.issued_at, i.document, i.total,
      ${creditedOf(sql`i.number`)} as credited,
      (select coalesce(sum(n.total - ${creditedOf(sql`n.number`)}), 0) from invoices n
        where n.account_id = i.account_id and n.number > i.number) as newer,
      ${balanceOf('revenue')} + ${balanceOf('funding')} - (
        select coalesce(sum(o.amount), 0) from operation_counts o
        where o.account_id = i.account_id and not o.is_closed
      ) as debt
    from (${chosen}) i join accounts a on a.id = i.account_id
    order by i.number desc`);
  return rows;
}

function toListed(row: Row): ListedInvoice {
  const [total, credited] = [BigInt(row.total), BigInt(row.credited)];
  const owed = BigInt(row.debt) - BigInt(row.newer);
  const left = total - credited;
  return {
    number: printNumber('invoice', Number(row.number)),
    accountId: row.account_id,
    accountName: row.name ?? DEVELOPMENT,
    month: row.month,
    issuedAt: new Date(row.issued_at),
    dueOn: (JSON.parse(row.document) as Invoice).due_on,
    total,
    credited,
    outstanding: owed <= 0n ? 0n : owed < left ? owed : left,
  };
}
