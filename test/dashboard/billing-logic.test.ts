import { describe, expect, test } from 'vitest';
import { PLANS } from '../../generated/plans.ts';
import type { BillingSettings, ListedInvoice, Statement } from '../../generated/account/types.ts';
import type { BillItem } from '../../runtime/bill.ts';
import { inBatches } from '../../runtime/in-batches.ts';
import { RestCallError } from '../../runtime/rest-call.ts';
import { SPEC_PRICES } from '../../src/account/billing/books/prices.ts';
import { patiently } from '../../src/dashboard/calls/patiently.ts';
import { describeTerms } from '../../src/dashboard/pages/billing/overview/describe-terms.ts';
import { standingOf } from '../../src/dashboard/pages/billing/invoices/invoice-standing.ts';
import { printStatements } from '../../src/dashboard/pages/billing/statements/print-statements.ts';
import {
  type BillProgress,
  watchItems,
  BILL_PRICES,
} from '../../src/dashboard/pages/billing/verification/watch-items.ts';
import type { OverviewFacts } from '../../src/dashboard/pages/overview/attention-facts.ts';
import { findMoneyAttention } from '../../src/dashboard/pages/overview/money-attention.ts';
import { formatDay, formatMonth } from '../../src/dashboard/parts/calendar.ts';
import { priceRowName } from '../../src/dashboard/parts/format-number.ts';

const NOW = Date.UTC(2026, 0, 15, 9, 30);
const INVOICE: ListedInvoice = {
  number: 'INV-000042',
  month: '2025-12',
  issued_at: '2026-01-01T00:10:00.000Z',
  due_on: '2026-01-15',
  total_usd: '10.00',
  credited_usd: '0.00',
  outstanding_usd: '10.00',
};
const SETTINGS: BillingSettings = {
  billing: 'prepaid',
  mode: 'by_volume',
  credit_limit_usd: '0.00',
  month_charged_usd: '12.00',
  invoice_threshold_usd: '1000.00',
  recipient: '',
  notify_below_usd: ['100.00', '10.00'],
};

describe('an invoice', () => {
  const wordOf = (own: Partial<ListedInvoice>, nowMs = NOW) => standingOf({ ...INVOICE, ...own }, nowMs).word;

  test('is overdue when its last day of UTC is over and something is left to pay', () => {
    const lastMs = Date.UTC(2026, 0, 16) - 1;
    expect([wordOf({}, lastMs), wordOf({}, lastMs + 1)]).toEqual(['to pay', 'overdue']);
    expect(wordOf({ outstanding_usd: '0.000001' }, lastMs + 1)).toBe('overdue');
    expect(wordOf({ outstanding_usd: '0.00' }, lastMs + 1)).toBe('paid');
  });

  test('is credited when all of it was given back, and paid otherwise', () => {
    expect(wordOf({ outstanding_usd: '0.00', credited_usd: '10.00' })).toBe('credited');
    expect(wordOf({ outstanding_usd: '0.00', credited_usd: '9.999999' })).toBe('paid');
    expect(wordOf({ outstanding_usd: '0.00', total_usd: '0.00' })).toBe('paid');
  });
});

describe('what needs attention of the money', () => {
  const balance = (available_usd: string) => ({
    available_usd,
    balance_usd: '0.00',
    credit_limit_usd: '0.00',
    reserved_usd: '0.00',
    charged_usd: '0.00',
  });
  const find = (own: Partial<OverviewFacts>) =>
    findMoneyAttention({
      session: { has_second_factor: true, backup_codes_left: 8 },
      nowMs: NOW,
      ...own,
    });
  const ofBalance = (available: string, billing: 'prepaid' | 'invoiced' = 'prepaid', settings = SETTINGS) =>
    find({ account: { billing, balance: balance(available) }, settings }).map(
      ({ tone, text }) => `${tone}: ${text}`,
    );

  test('a balance below the lowest of the notices that it has passed, to the micro-USD', () => {
    expect(ofBalance('100.00')).toEqual([]);
    expect(ofBalance('99.999999')).toEqual([
      expect.stringMatching(/^warn: \$99\.999999 of the balance is left, less than \$100\.00\./),
    ]);
    expect(ofBalance('9.99')).toEqual([expect.stringMatching(/less than \$10\.00\./)]);
    expect(ofBalance('9.99', 'invoiced')).toEqual([
      expect.stringMatching(/^warn: \$9\.99 of balance and credit limit is left/),
    ]);
    expect(ofBalance('0.01', 'prepaid', { ...SETTINGS, notify_below_usd: [] })).toEqual([]);
  });

  test('nothing that is left, whatever the notices are', () => {
    expect(ofBalance('0.00', 'prepaid', { ...SETTINGS, notify_below_usd: [] })).toEqual([
      expect.stringMatching(/^bad: Nothing is left/),
    ]);
    expect(ofBalance('-0.50', 'invoiced')).toEqual([
      expect.stringMatching(/^bad: The credit limit is reached/),
    ]);
  });

  test('an invoice that is overdue, with what is left to pay, or how many', () => {
    const overdue = { ...INVOICE, due_on: '2026-01-14' };
    expect(find({ invoices: [INVOICE] })).toEqual([]);
    expect(find({ invoices: [INVOICE, overdue] })).toMatchObject([
      {
        tone: 'bad',
        text: 'The invoice INV-000042 was due on Jan 14, 2026: $10.00 is left to pay.',
        link: { href: '/billing/invoices/INV-000042' },
      },
    ]);
    const older = { ...overdue, number: 'INV-000041', outstanding_usd: '0.500001' };
    expect(find({ invoices: [overdue, older] })).toMatchObject([
      { text: '2 invoices are overdue: $10.500001 is left to pay.', link: { href: '/billing' } },
    ]);
  });

  test('an account that is about to pay from its balance, until this month costs more than the threshold', () => {
    const below = { ...SETTINGS, below_month: '2025-12' };
    expect(find({ settings: { ...below, month_charged_usd: '1000.00' } })).toMatchObject([
      { tone: 'warn', text: expect.stringMatching(/^December 2025 cost no more than \$1,000\.00\./) },
    ]);
    expect(find({ settings: { ...below, month_charged_usd: '1000.000001' } })).toEqual([]);
  });
});

describe('how an account pays, in words', () => {
  const later = (own: Partial<BillingSettings>) => describeTerms({ ...SETTINGS, ...own }).later;

  test('from its balance: what happens above the threshold, with a credit limit and without', () => {
    expect(describeTerms(SETTINGS).now).toMatch(/^The account pays from its balance/);
    expect(later({})).toMatch(/more than \$1,000\.00, it can be invoiced, after the operator/);
    expect(later({ credit_limit_usd: '5000.00' })).toMatch(/it is invoiced, and may owe up to \$5,000\.00/);
    expect(later({ mode: 'prepaid' })).toMatch(/has set this permanently/);
  });

  test('by invoice: when it returns to its balance', () => {
    const invoiced = { billing: 'invoiced', credit_limit_usd: '5000.00' } as const;
    expect(describeTerms({ ...SETTINGS, ...invoiced }).now).toMatch(/may owe up to \$5,000\.00\.$/);
    expect(later(invoiced)).toMatch(/^After two months in a row/);
    expect(later({ ...invoiced, below_month: '2025-12' })).toMatch(/^December 2025 cost no more/);
    expect(later({ ...invoiced, mode: 'invoiced' })).toMatch(/has set this permanently/);
  });
});

test('statements are saved with units and cost of every row of the price list', () => {
  const statement: Statement = {
    month: '2026-01',
    opening_usd: '25.00',
    deposits_usd: '100.00',
    given_back_usd: '0.00',
    charges: [{ operation: 'managed_signing', units: 120_000, cost_usd: '12.00' }],
    charged_usd: '12.00',
    closing_usd: '113.00',
    invoice_number: 'INV-000042',
  };
  const [head, row, end] = printStatements([statement]).split('\r\n');
  expect(head).toBe(
    `month,opening_usd,deposits_usd,given_back_usd,charged_usd,closing_usd,invoice_number,${Object.keys(
      PLANS.wallet_prices,
    )
      .flatMap((name) => [`${name}_units`, `${name}_usd`])
      .join(',')}`,
  );
  expect(row).toBe('2026-01,25.00,100.00,0.00,12.00,113.00,INV-000042,0,0.00,0,0.00,120000,12.00,0,0.00');
  expect(end).toBe('');
});

test('the prices that invoices are recomputed with are those of the server', () => {
  expect(BILL_PRICES).toEqual({ book: SPEC_PRICES, credits: PLANS.service_credits.rows });
});

describe('the items of a bill', () => {
  const issued_at = '2026-01-31T00:00:00.000Z';
  const itemsOf = async function* (count: number) {
    yield { bill: 'keyslot bill v1', invoice: { issued_at } } as unknown as BillItem<never>;
    for (let seq = 0; seq < count; seq += 1)
      yield {
        record: { at: new Date(Date.UTC(2026, 0, 1) + (seq * 30 * 86_400_000) / count).toISOString() },
      };
  } as (count: number) => AsyncGenerator<BillItem<never>>;

  test('are passed on one by one, with the share of the time that they cover', async () => {
    const seen: BillProgress[] = [];
    let passed = 0;
    for await (const _item of watchItems(itemsOf(2_000), {
      onProgress: (progress) => seen.push(progress),
    }))
      passed += 1;
    expect(passed).toBe(2_001);
    expect(seen.map(({ records, percent }) => [records, Math.round(percent)])).toEqual([
      [500, 25],
      [1_000, 50],
      [1_500, 75],
      [2_000, 100],
    ]);
  });

  test('are read up to a limit, whose next record is refused by name', async () => {
    const read = async (records: number, most: number): Promise<number> => {
      let passed = 0;
      for await (const _item of watchItems(itemsOf(records), { onProgress: () => undefined, most }))
        passed += 1;
      return passed;
    };
    expect(await read(3, 3)).toBe(4);
    await expect(read(4, 3)).rejects.toThrow('more than 3 records, too many for a browser');
  });

  test('of a busy server are asked for again after its Retry-After, six times at most', async () => {
    const waits: number[] = [];
    const wait = async (ms: number): Promise<void> => void waits.push(ms);
    const { signal } = new AbortController();
    const busy = (status: number, retryAfterSeconds: number) =>
      new RestCallError('listAuditChain', { kind: 'http', status, retryAfterSeconds });
    let left = 2;
    const call = async (): Promise<string> => {
      left -= 1;
      if (left >= 0) throw busy(left === 0 ? 503 : 429, 7);
      return 'read';
    };
    expect([await patiently(call, signal, wait), waits]).toEqual(['read', [7_000, 7_000]]);
    const always = async (): Promise<never> => {
      throw busy(429, 1);
    };
    await expect(patiently(always, signal, wait)).rejects.toThrow('HTTP status 429');
    expect(waits).toHaveLength(2 + 5);
    const long = async (): Promise<never> => {
      throw busy(503, 121);
    };
    await expect(patiently(long, signal, wait)).rejects.toThrow('HTTP status 503');
    expect(waits).toHaveLength(2 + 5);
  });

  test('are written in batches, the last of them smaller', async () => {
    const sizes: number[] = [];
    for await (const batch of inBatches(itemsOf(4), 2)) sizes.push(batch.length);
    expect(sizes).toEqual([2, 2, 1]);
    for await (const batch of inBatches(itemsOf(1), 2)) expect(batch).toHaveLength(2);
  });
});

test('months and days are those of UTC, and rows of the price list have names', () => {
  expect([formatMonth('2026-01'), formatDay('2026-01-15'), formatDay('2026-01-15T23:59:59.999Z')]).toEqual([
    'January 2026',
    'Jan 15, 2026',
    'Jan 15, 2026',
  ]);
  expect(['managed_signing', 'hd_child_derivation'].map(priceRowName)).toEqual([
    'Managed signing',
    'HD child derivation',
  ]);
});
