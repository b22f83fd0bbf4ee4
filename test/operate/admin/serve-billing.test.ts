import { expect, test } from 'vitest';
import { listAudit } from '../../../src/account/audit/list-audit.ts';
import { credit } from '../../../src/account/billing/books/credit.ts';
import { readRequest } from '../../../src/operate/admin/admin-request.ts';
import { newCustomer, NOW_MS } from '../../account/new-customer.ts';
import { describeStores } from '../../store/backends.ts';
import { readAction } from '../../support/run-action.ts';
import { commandsOn, newCommandDeps } from './account-deps.ts';

describeStores('commands about billing', (backend) => {
  const store = backend.emptied();
  async function setUp() {
    // The name of a new customer is its id.
    const account = await newCustomer(store());
    return { account, run: commandsOn(await newCommandDeps(store())) };
  }

  test('set how an account pays, and record it', async () => {
    const { account: accountId, run } = await setUp();
    await store().transaction((tx) =>
      credit(tx, { accountId, amount: 20_000_000n, note: undefined, nowMs: NOW_MS }),
    );
    expect(await run(['billing', accountId, '--invoiced', '--credit-limit', '1000'])).toMatchObject({
      billing: 'invoiced',
      mode: 'invoiced',
      available_usd: '1020.00',
      balance_usd: '20.00',
    });
    expect(await run(['billing', accountId, '--by-volume', '--credit-limit', '0'])).toMatchObject({
      billing: 'prepaid',
      mode: 'by_volume',
      available_usd: '20.00',
    });
    const { records } = await listAudit(store(), accountId, { action: 'setbilling', limit: 5 });
    expect(records).toMatchObject([
      { outcome: 'ok' },
      { outcome: 'ok', requestId: expect.stringMatching(/^cmd_/) },
    ]);
  });

  test('list nothing where there are no invoices, and know no invoice', async () => {
    const { run } = await setUp();
    expect(await run(['invoices', 'list', '--limit', '10'])).toEqual({ invoices: [] });
    await expect(run(['invoices', 'show', 'INV-000001'])).rejects.toMatchObject({
      code: 'invoiceNotFound',
    });
  });
});

test.each([
  [['billing', 'a', '--invoiced', '--credit-limit=-1'], 'got "-1"'],
  [['billing', 'a', '--invoiced', '--credit-limit', '0'], '--credit-limit must be'],
  [['billing', 'a', '--invoiced'], 'expected --by-volume'],
  [['notices', 'a', ...[1, 2, 3, 4, 5, 6].flatMap((usd) => ['--below', String(usd)])], '5 times, got 6'],
  [['notices', 'a', '--below', '0'], '--below must be decimal USD above 0'],
  [['invoices', 'list', '--limit', '1001'], '--limit must be a whole number from 1 to 1000'],
  [['invoices', 'list', '--cursor', 'AAAA'], '--cursor must be the next_cursor'],
])('%j is refused', (words, reason) => {
  expect(() => readAction(words)).toThrow(reason);
});

test.each([
  [{ kind: 'invoices.credit', number: 'INV-000001', amountUsd: '-1', reason: 'r' }, 'got "-1"'],
  [{ kind: 'invoices.credit', number: 'INV-000001', amountUsd: '1' }, '--reason must have 1 to 100'],
])('%j is refused', (request, reason) => {
  expect(() => readRequest(request)).toThrow(reason);
});
