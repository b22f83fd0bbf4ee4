import type { BillingSettings } from '../../generated/account/types.ts';
import { printUsd } from '../../runtime/micro-usd.ts';
import { readBalanceNotices } from '../account/billing/balance-notices.ts';
import { chargedIn, INVOICE_THRESHOLD, readTerms } from '../account/billing/terms.ts';
import { utcMonth } from '../base/utc-month.ts';
import type { AccountContext } from './account-context.ts';

/** Returns how the caller's account pays and what it wants to be told. */
export async function showBillingSettings({
  store: { db },
  clock,
  caller: { accountId },
}: AccountContext): Promise<BillingSettings> {
  const { mode, creditLimit, invoicedSince, below, recipient } = await readTerms(db, accountId);
  const charged = await chargedIn(db, accountId, utcMonth(clock.nowMs()));
  const notices = await readBalanceNotices(db, accountId);
  return {
    ...{ billing: invoicedSince === undefined ? 'prepaid' : 'invoiced', mode },
    ...{ credit_limit_usd: printUsd(creditLimit), month_charged_usd: printUsd(charged) },
    ...{ invoice_threshold_usd: printUsd(INVOICE_THRESHOLD), recipient },
    ...(below !== undefined && { below_month: below }),
    notify_below_usd: notices.map(printUsd),
  };
}
