import { expect, test } from 'vitest';
import { isBillingRequest, readBillingRequest } from '../../src/admin/billing-request.ts';
import { serveBilling } from '../../src/admin/serve-billing.ts';
import { listAudit } from '../../src/account/audit/list-audit.ts';
import { credit } from '../../src/account/money/credit.ts';
import { newCustomer, NOW_MS } from '../account/new-customer.ts';
import { describeStores } from '../store/backends.ts';

/** Reads a request as it arrives: as JSON. */
function readLine(request: object): ReturnType<typeof readBillingRequest> {
  const sent: unknown = JSON.parse(JSON.stringify(request));
  if (!isBillingRequest(sent as Record<string, unknown>)) throw new Error('no command about billing');
  return readBillingRequest(sent as Parameters<typeof readBillingRequest>[0]);
}

describeStores('commands about billing', (backend) => {
  const store = backend.emptied();
  async function setUp() {
    // The name of a new customer is its id.
    const account = await newCustomer(store());
    const ask = (request: object) => serveBilling(store(), readLine({ account, ...request }), NOW_MS);
    return { account, ask };
  }

  test('set how an account pays, and record it', async () => {
    const { account: accountId, ask } = await setUp();
    await store().transaction((tx) =>
      credit(tx, { accountId, amount: 20_000_000n, note: undefined, nowMs: NOW_MS }),
    );
    expect(await ask({ kind: 'billing.set', mode: 'invoiced', creditLimitUsd: '1000' })).toMatchObject({
      ...{ billing: 'invoiced', mode: 'invoiced', available_usd: '1020.00', balance_usd: '20.00' },
    });
    expect(await ask({ kind: 'billing.set', mode: 'by_volume', creditLimitUsd: '0' })).toMatchObject({
      ...{ billing: 'prepaid', mode: 'by_volume', available_usd: '20.00' },
    });
    const { records } = await listAudit(store(), accountId, { action: 'setbilling', limit: 5 });
    expect(records).toMatchObject([
      { outcome: 'ok' },
      { outcome: 'ok', requestId: expect.stringMatching(/^cmd_/) },
    ]);
  });

  test('list nothing where there are no invoices, and know no invoice', async () => {
    const { ask } = await setUp();
    expect(await ask({ kind: 'invoices.list', limit: 10 })).toEqual({ invoices: [] });
    await expect(ask({ kind: 'invoices.show', number: 'INV-000001' })).rejects.toMatchObject({
      code: 'invoiceNotFound',
    });
  });
});

test.each([
  [{ kind: 'billing.set', account: 'a', mode: 'invoiced', creditLimitUsd: '-1' }, 'got "-1"'],
  [{ kind: 'billing.set', account: 'a', mode: 'invoiced', creditLimitUsd: '0' }, '--credit-limit must be'],
  [{ kind: 'billing.set', account: 'a', mode: 'monthly' }, 'by_volume, invoiced or prepaid'],
  [{ kind: 'notices.set', account: 'a', belowUsd: ['1', '2', '3', '4', '5', '6'] }, '5 times, got 6'],
  [{ kind: 'notices.set', account: 'a', belowUsd: ['0'] }, '--below must be decimal USD above 0'],
  [{ kind: 'invoices.list', limit: 1001 }, '--limit must be a whole number from 1 to 1000'],
  [{ kind: 'invoices.list', limit: 1, cursor: 'AAAA' }, '--cursor must be the next_cursor'],
  [{ kind: 'invoices.credit', number: 'INV-000001', amountUsd: '-1', reason: 'r' }, 'got "-1"'],
  [{ kind: 'invoices.credit', number: 'INV-000001', amountUsd: '1' }, '--reason must have 1 to 100'],
])('%j is refused', (request, reason) => {
  expect(() => readLine(request)).toThrow(reason);
});
