import type { BillingSettings } from '../../../../generated/account/types.ts';
import { formatDay, formatMonth } from '../../parts/calendar.ts';
import { formatMicroUsd, formatUsd, microOf } from '../../parts/format-number.ts';
import { isOverdue } from '../billing/invoices/invoice-standing.ts';
import type { OverviewFacts } from './attention-facts.ts';
import type { Attention } from './attention-item.ts';

/** Returns notices about the money of the account, the most urgent first. */
export function findMoneyAttention(facts: OverviewFacts): readonly Attention[] {
  return [...ofBalance(facts), ...ofInvoices(facts), ...ofTerms(facts)];
}

function ofBalance({ account, settings }: OverviewFacts): readonly Attention[] {
  const available = account?.balance?.available_usd;
  if (available === undefined) return [];
  const link = { href: '/billing', title: 'Billing' };
  const isInvoiced = account?.billing === 'invoiced';
  if (microOf(available) <= 0n)
    return [
      {
        id: 'balance',
        tone: 'bad',
        link,
        text: isInvoiced
          ? 'The credit limit is reached: wallet operations are refused. Pay open invoices, or ask the operator for a higher limit.'
          : 'Nothing is left of the balance: wallet operations are refused. Ask the operator for credit.',
      },
    ];
  const passed = passedNotice(microOf(available), settings?.notify_below_usd ?? []);
  if (passed === undefined) return [];
  const source = isInvoiced ? 'balance and credit limit' : 'the balance';
  return [
    {
      id: 'balance',
      tone: 'warn',
      link,
      text: `${formatUsd(available)} of ${source} is left, less than ${formatUsd(passed)}. Wallet operations are refused when nothing is left.`,
    },
  ];
}

/** Returns the lowest notice amount that the account can no longer spend. */
function passedNotice(available: bigint, notices: BillingSettings['notify_below_usd']): string | undefined {
  return notices
    .filter((notice) => available < microOf(notice))
    .toSorted((a, b) => (microOf(a) < microOf(b) ? -1 : 1))
    .at(0);
}

function ofInvoices({ invoices = [], nowMs }: OverviewFacts): readonly Attention[] {
  const overdue = invoices.filter((invoice) => isOverdue(invoice, nowMs));
  const [only] = overdue;
  if (only === undefined) return [];
  const left = formatMicroUsd(
    overdue.reduce((sum, { outstanding_usd }) => sum + microOf(outstanding_usd), 0n),
  );
  if (overdue.length > 1)
    return [
      {
        id: 'overdue',
        tone: 'bad',
        text: `${overdue.length} invoices are overdue: ${left} is left to pay.`,
        link: { href: '/billing', title: 'Look at them' },
      },
    ];
  return [
    {
      id: 'overdue',
      tone: 'bad',
      text: `The invoice ${only.number} was due on ${formatDay(only.due_on)}: ${left} is left to pay.`,
      link: { href: `/billing/invoices/${only.number}`, title: 'Look at it' },
    },
  ];
}

function ofTerms({ settings }: OverviewFacts): readonly Attention[] {
  if (settings?.below_month === undefined) return [];
  const { below_month, month_charged_usd, invoice_threshold_usd } = settings;
  if (microOf(month_charged_usd) > microOf(invoice_threshold_usd)) return [];
  return [
    {
      id: 'terms',
      tone: 'warn',
      text: `${formatMonth(below_month)} cost no more than ${formatUsd(invoice_threshold_usd)}. If this month does not either, the account pays from its balance from next month on.`,
      link: { href: '/billing', title: 'Billing' },
    },
  ];
}
