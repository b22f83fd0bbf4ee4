import { randomUUID } from 'node:crypto';
import { printUsd } from '../../runtime/micro-usd.ts';
import { readAccount } from '../account/accounts.ts';
import { appendAudit } from '../account/audit/append-audit.ts';
import { readBalanceNotices, setBalanceNotices } from '../account/billing/balance-notices.ts';
import { issueCreditNote } from '../account/billing/issue-credit-note.ts';
import {
  type CreditNote,
  type ListedInvoice,
  listInvoices,
  readInvoice,
} from '../account/billing/read-invoices.ts';
import { readStatements, type Statement } from '../account/billing/read-statements.ts';
import { setTerms } from '../account/billing/set-terms.ts';
import { findAccount } from '../account/find-account.ts';
import { printCursor } from '../base/list-cursor.ts';
import type { Store } from '../store/open-store.ts';
import type { BillingRequest } from './billing-request.ts';
import { showStanding } from './serve-money.ts';

/** Does what a request about billing asks. Amounts are exact decimal text in USD; changes are in the audit log of the account. */
export async function serveBilling(store: Store, request: BillingRequest, nowMs: number): Promise<unknown> {
  switch (request.kind) {
    case 'billing.set': {
      const { account, mode, creditLimit } = request;
      const accountId = await findAccount(store, account);
      await store.transaction(async (tx) => {
        await setTerms(tx, { accountId, mode, creditLimit, nowMs });
        await appendAudit(tx, accountId, [factOf('setbilling', accountId)], nowMs);
      });
      return showStanding(store, account, accountId, nowMs);
    }
    case 'invoices.list':
      return listPage(store, request);
    case 'invoices.show': {
      const { invoice, notes, credited, outstanding } = await readInvoice(store.db, request);
      const amounts = { credited_usd: printUsd(credited), outstanding_usd: printUsd(outstanding) };
      return { invoice, credit_notes: notes.map(showNote), ...amounts };
    }
    case 'invoices.credit': {
      const { number: invoiceNumber, amount, reason, reference = randomUUID() } = request;
      const requestId = newRequestId();
      const wanted = { invoiceNumber, amount, reason, reference, requestId, nowMs };
      const { note, isNew } = await store.transaction((tx) => issueCreditNote(tx, wanted));
      return { ...showNote(note), is_new: isNew };
    }
    case 'statements': {
      const accountId = await findAccount(store, request.account);
      const { createdAt } = await readAccount(store, accountId);
      const statements = await readStatements(store, { accountId, createdAt, nowMs });
      return { account: request.account, statements: statements.map(showStatement) };
    }
    case 'notices.show':
    case 'notices.set': {
      const accountId = await findAccount(store, request.account);
      if (request.kind === 'notices.set')
        await store.transaction(async (tx) => {
          await setBalanceNotices(tx, accountId, request.thresholds);
          await appendAudit(tx, accountId, [factOf('changebillingsettings', accountId)], nowMs);
        });
      const thresholds = await readBalanceNotices(store.db, accountId);
      return { account: request.account, notify_below_usd: thresholds.map(printUsd) };
    }
  }
}

async function listPage(
  store: Store,
  { account, before, limit }: Extract<BillingRequest, { readonly kind: 'invoices.list' }>,
) {
  const accountId = account === undefined ? undefined : await findAccount(store, account);
  const invoices = await listInvoices(store.db, { accountId, before, limit: limit + 1 });
  const page = invoices.slice(0, limit);
  const last = invoices.length > limit ? page.at(-1) : undefined;
  return { invoices: page.map(showInvoice), ...(last && { next_cursor: cursorOf(last) }) };
}

function cursorOf({ issuedAt, number }: ListedInvoice): string {
  return printCursor({ at: issuedAt, id: String(Number(number.split('-').at(-1))) });
}

function showInvoice({ accountName, issuedAt, dueOn, ...invoice }: ListedInvoice) {
  const { number, month, total, credited, outstanding } = invoice;
  return {
    ...{ number, account: accountName, month, issued_at: issuedAt, due_on: dueOn },
    ...{ total_usd: printUsd(total), credited_usd: printUsd(credited) },
    outstanding_usd: printUsd(outstanding),
  };
}

function showNote({ number, invoiceNumber, amount, reason, issuedAt }: CreditNote) {
  return { number, invoice_number: invoiceNumber, amount_usd: printUsd(amount), reason, issued_at: issuedAt };
}

function showStatement({ month, charges, invoiceNumber, ...amounts }: Statement) {
  return {
    ...{ month, opening_usd: printUsd(amounts.opening), deposits_usd: printUsd(amounts.deposits) },
    ...{ given_back_usd: printUsd(amounts.givenBack), charged_usd: printUsd(amounts.charged) },
    charges: charges.map(({ operation, units, cost }) => ({
      ...{ operation, units: Number(units), cost_usd: printUsd(cost) },
    })),
    ...{ closing_usd: printUsd(amounts.closing), invoice_number: invoiceNumber ?? null },
  };
}

function newRequestId(): string {
  return `cmd_${randomUUID()}`;
}

function factOf(action: string, subject: string) {
  return { action, outcome: 'ok', requestId: newRequestId(), subject };
}
