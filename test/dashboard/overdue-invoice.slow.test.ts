import { expect, test } from 'vitest';
import type {
  Account,
  BillingSettings,
  InvoiceDetails,
  ListedInvoice,
} from '../../generated/account/types.ts';
import { describeInBrowser, LOGIN, signIn } from './use-dashboard.ts';

const NUMBER = 'INV-000042';
const SUMS = { total_usd: '1240.50', credited_usd: '0.00', outstanding_usd: '240.50' };
const DATES = { month: '2026-01', issued_at: '2026-02-01T00:12:00.000Z', due_on: '2026-03-03' };
const LISTED: ListedInvoice = { number: NUMBER, ...DATES, ...SUMS };
const DETAILS: InvoiceDetails = {
  invoice: {
    number: NUMBER,
    account_id: 'a1',
    account_name: 'acme',
    ...DATES,
    seller: '',
    recipient: 'Acme Ltd',
    payment_note: '',
    currency: 'USD',
    lines: [
      {
        operation: 'wallet_creation',
        tier: 'standard',
        units: 1_000_000,
        unit_price_usd: '0.001',
        amount_usd: '1000.00',
      },
      {
        operation: 'wallet_creation',
        tier: 'earlier_prices',
        units: 0,
        unit_price_usd: '0.00',
        amount_usd: '240.50',
      },
    ],
    charged_usd: '1240.50',
    availability_percent: '99.9970',
    service_credit_percent: 0,
    service_credit_usd: '0.00',
    total_usd: '1240.50',
    paid_usd: '1000.00',
    due_usd: '240.50',
    from_seq: 4711,
  },
  credit_notes: [],
  credited_usd: '0.00',
  outstanding_usd: '240.50',
};
const SETTINGS: BillingSettings = {
  billing: 'invoiced',
  mode: 'by_volume',
  credit_limit_usd: '5000.00',
  month_charged_usd: '2000.00',
  invoice_threshold_usd: '1000.00',
  recipient: 'Acme Ltd',
  notify_below_usd: [],
};
const LIMIT = { requests: 1_000, window_seconds: 60, remaining: 1_000, reset_seconds: 60 };
const ACCOUNT: Account = {
  account_id: 'a1',
  name: 'acme',
  created_at: '2025-01-15T09:30:00.000Z',
  billing: 'invoiced',
  plan: { name: 'developer', requests_per_second: 100, burst: 500 },
  wallet_create_limit: LIMIT,
  wallet_use_limit: LIMIT,
  balance: {
    available_usd: '4759.50',
    balance_usd: '-240.50',
    credit_limit_usd: '5000.00',
    reserved_usd: '0.00',
    charged_usd: '1240.50',
  },
};

describeInBrowser('an invoice that is overdue', (start) => {
  test('is urgent on the overview, and leads to its page, which says so but does not print it', async () => {
    const answers = {
      'GET /account': ACCOUNT,
      'GET /billing': SETTINGS,
      'GET /webhooks': { webhooks: [] },
      'GET /invoices': { invoices: [LISTED] },
      [`GET /invoices/${NUMBER}`]: DETAILS,
    };
    const scopes = [...LOGIN.scopes, 'billing:read'];
    const { page, complaints } = await start({ scopes, answers });
    await signIn(page);
    const item = page.getByRole('listitem').filter({ hasText: NUMBER });
    await item.getByText('Urgent').waitFor();
    await item.getByText('was due on Mar 3, 2026: $240.50 is left to pay.').waitFor();
    await item.getByRole('link', { name: 'Look at it' }).click();
    const paper = page.getByRole('article', { name: `Invoice ${NUMBER}` });
    await paper.getByText('overdue').waitFor();
    // Nothing is said of units of the difference to earlier prices.
    const row = paper.getByRole('row', { name: /difference to earlier prices/ });
    expect(await row.getByRole('cell').allTextContents()).toEqual(['', '', '$240.50']);
    await page.emulateMedia({ media: 'print' });
    await paper.getByText('overdue').waitFor({ state: 'hidden' });
    expect(await page.getByRole('navigation').count()).toBe(0);
    await page.emulateMedia({ media: 'screen' });
    await page.getByRole('link', { name: 'Billing' }).click();
    // Above the threshold the bar is full, and the amount is what it is.
    await page.getByText('$2,000.00 of $1,000.00, the invoice threshold').waitFor();
    const bar = page.getByRole('progressbar', { name: 'Charged this month (UTC)' });
    expect(await bar.getAttribute('value')).toBe(await bar.getAttribute('max'));
    // This role reads no more than that.
    expect(await page.getByRole('button', { name: /^Change the/ }).count()).toBe(0);
    expect(complaints).toEqual([]);
  });
});
