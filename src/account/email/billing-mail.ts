import { printUsd } from '../../../runtime/micro-usd.ts';
import type { BillingNotice } from '../billing/invoices/billing-notice.ts';
import { INVOICE_THRESHOLD } from '../billing/invoices/terms.ts';
import type { Mail } from './mailer.ts';

const THRESHOLD = printUsd(INVOICE_THRESHOLD);

/** Writes the email about a billing notice. `account` is a checked name. */
export function billingMail(
  notice: BillingNotice,
  { to, account }: { readonly to: string; readonly account: string },
): Mail {
  const { subject, text } = textOf(notice, account);
  return { to, subject, text: `${text}\n` };
}

function textOf(notice: BillingNotice, account: string): Omit<Mail, 'to'> {
  switch (notice.kind) {
    case 'balance':
      return {
        subject: `The account ${account} can spend less than ${printUsd(notice.threshold)} USD`,
        text: `The account ${account} on Keyslot can spend ${printUsd(notice.available)} USD. Wallet operations that cost more than is left are refused (status 402).

You chose to be notified at ${printUsd(notice.threshold)} USD; you can change that under Billing in the dashboard.`,
      };
    case 'invoice':
      return {
        subject: `Invoice ${notice.number} of the account ${account}`,
        text: `The invoice ${notice.number} of the account ${account} on Keyslot was issued. ${printUsd(notice.due)} USD is due by ${notice.dueOn}.

You can find it under Billing in the dashboard, which can verify it against the signed records of your audit log.`,
      };
    case 'invoiced':
      return {
        subject: `The account ${account} is invoiced from now on`,
        text: `The account ${account} on Keyslot was charged more than ${THRESHOLD} USD this month. It is invoiced from now on, within its credit limit.`,
      };
    case 'below':
      return {
        subject: `The account ${account} may have to pay in advance from next month`,
        text: `The account ${account} on Keyslot was charged no more than ${THRESHOLD} USD last month. If that is also true of this month, the account pays from its balance from next month: please make sure that it is sufficient.`,
      };
    case 'prepaid':
      return {
        subject: `The account ${account} pays from its balance from now on`,
        text: `The account ${account} on Keyslot was charged no more than ${THRESHOLD} USD in each of the last two months. It pays from its balance from now on, and it can spend nothing until it has paid what it owes.`,
      };
    case 'threshold':
      return {
        subject: `The account ${account} has no credit limit`,
        text: `The account ${account} on Keyslot was charged more than ${THRESHOLD} USD this month. It would be invoiced, but has no credit limit, so it still pays from its balance. Set one with keyslot billing ${account} --by-volume --credit-limit USD, or in the dashboard.`,
      };
  }
}
