import type { BillingSettings } from '../../../../../generated/account/types.ts';
import { formatMonth } from '../../../parts/calendar.ts';
import { formatUsd, microOf } from '../../../parts/format-number.ts';

/** The billing terms in words: the current ones, and what changes them. */
export type DescribedTerms = { readonly now: string; readonly later: string };

type Terms = Pick<
  BillingSettings,
  'billing' | 'mode' | 'credit_limit_usd' | 'invoice_threshold_usd' | 'below_month'
>;

/** Describes the billing terms of an account. */
export function describeTerms(terms: Terms): DescribedTerms {
  const limit = formatUsd(terms.credit_limit_usd);
  const threshold = formatUsd(terms.invoice_threshold_usd);
  if (terms.billing === 'prepaid')
    return {
      now: 'The account pays from its balance: wallet operations are refused when it is used up.',
      later: laterThanPrepaid(terms, { limit, threshold }),
    };
  return {
    now: `The account gets an invoice for each month, and may owe up to ${limit}.`,
    later: laterThanInvoiced(terms, threshold),
  };
}

type Amounts = { readonly limit: string; readonly threshold: string };

function laterThanPrepaid({ mode, credit_limit_usd }: Terms, { limit, threshold }: Amounts): string {
  if (mode === 'prepaid') return 'The operator of this server has set this permanently.';
  return microOf(credit_limit_usd) > 0n
    ? `Once a month costs more than ${threshold}, it is invoiced, and may owe up to ${limit}.`
    : `Once a month costs more than ${threshold}, it can be invoiced, after the operator of this server has set a credit limit.`;
}

function laterThanInvoiced({ mode, below_month }: Terms, threshold: string): string {
  if (mode === 'invoiced') return 'The operator of this server has set this permanently.';
  return below_month === undefined
    ? `After two months in a row that cost no more than ${threshold} each, it pays from its balance.`
    : `${formatMonth(below_month)} cost no more than ${threshold}. If this month does not either, the account pays from its balance from next month on.`;
}
