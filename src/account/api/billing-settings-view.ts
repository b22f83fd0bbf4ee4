import type { BillingSettings } from '../../../generated/account/types.ts';
import { printUsd } from '../../../runtime/micro-usd.ts';
import { readBalanceNotices } from '../billing/invoices/balance-notices.ts';
import { chargedIn, INVOICE_THRESHOLD, readTerms } from '../billing/invoices/terms.ts';
import { utcMonth } from '../../core/utc-month.ts';
import type { OperationContext } from './account-context.ts';

/** Returns how the caller's account pays, and its balance notices. */
export async function toBillingSettingsView({
  store: { db },
  clock,
  caller: { accountId },
}: OperationContext): Promise<BillingSettings> {
  const { mode, creditLimit, invoicedSince, below, recipient } = await readTerms(db, accountId);
  const charged = await chargedIn(db, accountId, utcMonth(clock.nowMs()));
  const notices = await readBalanceNotices(db, accountId);
  return {
    billing: invoicedSince === undefined ? 'prepaid' : 'invoiced',
    mode,
    credit_limit_usd: printUsd(creditLimit),
    month_charged_usd: printUsd(charged),
    invoice_threshold_usd: printUsd(INVOICE_THRESHOLD),
    recipient,
    ...(below !== undefined && { below_month: below }),
    notify_below_usd: notices.map(printUsd),
  };
}
