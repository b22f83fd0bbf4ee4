import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { GENESIS } from '../../../../runtime/audit-bytes.ts';
import { toHex } from '../../../../runtime/hex.ts';
import { appendAudit } from '../../../../src/account/audit/append-audit.ts';
import { hashRecord } from '../../../../src/account/audit/record-hash.ts';
import { verifyAudit } from '../../../../src/account/audit/verify-audit.ts';
import { readBalanceNotices } from '../../../../src/account/billing/invoices/balance-notices.ts';
import { listInvoices } from '../../../../src/account/billing/invoices/read-invoices.ts';
import { readStatements } from '../../../../src/account/billing/invoices/read-statements.ts';
import { readTerms } from '../../../../src/account/billing/invoices/terms.ts';
import { settleAbandoned } from '../../../../src/account/processes/gateway.ts';
import { readBalance } from '../../../../src/account/billing/books/balance.ts';
import { sumWalletUsage } from '../../../../src/account/usage/sum-wallet-usage.ts';
import { utcMonth } from '../../../../src/core/utc-month.ts';
import { balanceNotices } from '../../../../src/store/billing-tables.ts';
import { operationCounts } from '../../../../src/store/money-tables.ts';
import { walletChargeSums } from '../../../../src/store/usage-tables.ts';
import { describeStores, SILENT, useStore } from '../../../store/backends.ts';
import { makeEarlier } from '../../../store/make-earlier.ts';
import { charge, closeAll } from './billed-account.ts';

const USD = 1_000_000n;

describeStores('a store of the version before invoices', (backend) => {
  test('keeps how accounts pay, has what this month cost, and is closed from this month on', async () => {
    const place = backend.place();
    const accountId = randomUUID();
    const month = utcMonth(Date.now());
    await makeEarlier(place, {
      before: '0019_billing',
      rows: [
        `insert into accounts (id, kind, name, created_at) values ('${accountId}', 'customer', 'acme', now())`,
        `insert into ledger_accounts (account_id, kind, floor) values ('${accountId}', 'available', -50000000), ('${accountId}', 'revenue', 0)`,
        `insert into operation_counts (account_id, operation, month, units) values
          ('${accountId}', 'managed_signing', '${month}', 7), ('${accountId}', 'managed_signing', '2025-01', 9)`,
        `with made as (
          insert into ledger_transactions (account_id, kind, operation, units, month, created_at)
          values ('${accountId}', 'charge', 'managed_signing', 7, '${month}', now()) returning id
        ), moved as (
          update ledger_accounts set balance = case kind when 'revenue' then 700 else -700 end
          where account_id = '${accountId}' returning kind, balance
        )
        insert into ledger_entries (transaction_id, account_id, kind, amount, balance_after)
        select made.id, '${accountId}', moved.kind, moved.balance, moved.balance from made, moved`,
      ],
    });
    const store = await useStore(place);
    expect(await readTerms(store.db, accountId)).toEqual({
      mode: 'invoiced',
      creditLimit: 50n * USD,
      invoicedSince: month,
      recipient: '',
    });
    expect(await readBalance(store, accountId, Date.now())).toMatchObject({
      billing: 'invoiced',
      available: 50n * USD - 700n,
      monthCharged: 700n,
      operations: { managed_signing: 7n },
    });
    await charge(store, { accountId, operation: 'managed_signing', units: 1, nowMs: Date.now() });
    expect(await readBalance(store, accountId, Date.now())).toMatchObject({
      monthCharged: 800n,
      charged: 800n,
    });
    expect(await readBalanceNotices(store.db, accountId)).toEqual([10n * USD]);
    expect(await store.db.select().from(balanceNotices)).toMatchObject([{ isArmed: true }]);
    const counted = await store.db.select().from(operationCounts).orderBy(operationCounts.month);
    expect(counted.map((row) => [row.month, row.isClosed])).toEqual([
      ['2025-01', true],
      [month, false],
    ]);
  });
});

describeStores('a store that closed months before they were marked', (backend) => {
  test('has those closed that were, and those open that were not', async () => {
    const place = backend.place();
    const accountId = randomUUID();
    await makeEarlier(place, {
      before: '0020_closing',
      rows: [
        `insert into accounts (id, kind, name, created_at) values ('${accountId}', 'customer', 'acme', now())`,
        `insert into ledger_accounts (account_id, kind, floor) values ('${accountId}', 'available', 0), ('${accountId}', 'revenue', 0)`,
        `update document_series set since = '2025-10'`,
        `insert into operation_counts (account_id, operation, month, units, amount) select
          '${accountId}', 'managed_signing', month, 7, 0 from unnest(array['2025-09', '2025-10', '2025-11']) as month`,
        `insert into closed_months (account_id, month, charged, service_credit, minutes, unavailable, closed_at)
          values ('${accountId}', '2025-10', 0, 0, 0, 0, now())`,
      ],
    });
    const store = await useStore(place);
    const counted = await store.db.select().from(operationCounts).orderBy(operationCounts.month);
    expect(counted.map((row) => [row.month, row.isClosed])).toEqual([
      ['2025-09', true],
      ['2025-10', true],
      ['2025-11', false],
    ]);
    const late = { accountId, operation: 'wallet_creation', units: 0, nowMs: Date.UTC(2025, 9, 5) } as const;
    await charge(store, late);
    await closeAll(store, Date.UTC(2025, 11, 5));
    expect((await store.db.select().from(operationCounts)).map((row) => [row.month, row.isClosed])).toEqual(
      expect.arrayContaining([
        ['2025-11', true],
        ['2025-11', true],
      ]),
    );
  });
});

describeStores('a store with work of a month of before they were closed', (backend) => {
  test('counts it in the first month that is closed, unless that costs more than is reserved for it', async () => {
    const place = backend.place();
    const accountId = randomUUID();
    const [signing, creation] = [randomUUID(), randomUUID()];
    await makeEarlier(place, {
      before: '0020_closing',
      rows: [
        `insert into accounts (id, kind, name, created_at) values ('${accountId}', 'customer', 'acme', now())`,
        `insert into billing_terms (account_id, mode, credit_limit, invoiced_since) values ('${accountId}', 'invoiced', 50000000, '2025-10')`,
        `insert into ledger_accounts (account_id, kind, balance, floor) values
          ('${accountId}', 'available', -10400, -50000000), ('${accountId}', 'reserved', 10400, 0), ('${accountId}', 'revenue', 0, 0)`,
        `update document_series set since = '2025-10'`,
        `insert into operation_counts (account_id, operation, month, units, amount) values
          ('${accountId}', 'managed_signing', '2025-09', 1000000, 0), ('${accountId}', 'wallet_creation', '2025-09', 1, 0)`,
        `insert into reservations (id, account_id, owner_id, operation, month, units, amount, is_charged_when_lost, created_at) values
          ('${signing}', '${accountId}', '${randomUUID()}', 'managed_signing', '2025-09', 10, 400, true, now()),
          ('${creation}', '${accountId}', '${randomUUID()}', 'wallet_creation', '2025-09', 10, 10000, true, now())`,
      ],
    });
    const store = await useStore(place);
    expect(await settleAbandoned({ store, log: SILENT }, Date.UTC(2025, 9, 1))).toBe(2);
    // A server whose clock is behind.
    await charge(store, {
      accountId,
      operation: 'wallet_creation',
      units: 1,
      nowMs: Date.UTC(2025, 8, 30, 23),
    });
    await closeAll(store, Date.UTC(2025, 10, 5));
    const counted = await store.db.select().from(operationCounts).orderBy(operationCounts.month);
    expect(counted.map(({ month, operation, units }) => [month, operation, units])).toEqual([
      ['2025-09', 'wallet_creation', 1n],
      ['2025-09', 'managed_signing', 1_000_010n],
      ['2025-10', 'wallet_creation', 11n],
    ]);
    const issued = await listInvoices(store.db, { accountId, limit: 9 });
    expect(issued).toMatchObject([{ month: '2025-10', outstanding: 11_000n }]);
  });
});

describeStores('a store whose sums of hours had no late charges', (backend) => {
  test('has them from the books, and adds up all hours again', async () => {
    const place = backend.place();
    const accountId = randomUUID();
    const nowMs = Date.UTC(2025, 9, 5);
    await makeEarlier(place, {
      before: '0024_late_clocks',
      rows: [
        `insert into accounts (id, kind, name, created_at) values ('${accountId}', 'customer', 'acme', '2025-10-01')`,
        `insert into ledger_accounts (account_id, kind, floor) values ('${accountId}', 'available', -50000000), ('${accountId}', 'revenue', 0)`,
        `with made as (
          insert into ledger_transactions (account_id, kind, operation, units, month, created_at)
          select '${accountId}', 'charge', 'managed_signing', 7, '2025-10', '2025-10-02 03:04Z' from generate_series(1, 2) returning id
        )
        insert into ledger_entries (transaction_id, account_id, kind, amount, balance_after)
        select made.id, '${accountId}', kind, amount, 0 from made, (values ('revenue', 700), ('available', -700)) as parts (kind, amount)`,
        `insert into audit_tips (account_id, seq, hash) values ('${accountId}', 0, '\\x${toHex(GENESIS)}')`,
        `insert into wallet_sum_tips (account_id, seq, charged_until) values ('${accountId}', 0, '2025-10-03 00:00Z')`,
        `insert into wallet_charge_hours (account_id, hour, operation, units, cost) values
          ('${accountId}', '2025-10-02 03:00Z', 'managed_signing', 7, 700)`,
      ],
    });
    const store = await useStore(place);
    const figures = async () => [
      (await readStatements(store, { accountId, createdAt: new Date(nowMs), nowMs }))[0]?.charged,
      (await store.db.select().from(walletChargeSums)).map(({ units }) => units),
    ];
    expect(await figures()).toEqual([1_400n, []]);
    for (const hasMore of [true, false]) expect(await sumWalletUsage(store, nowMs)).toBe(hasMore);
    expect(await figures()).toEqual([1_400n, [14n]]);
  });
});

describeStores('a store of the version before records had digests of documents', (backend) => {
  test('keeps its chain, which continues with a record that has one', async () => {
    const place = backend.place();
    const accountId = randomUUID();
    const atMs = Date.UTC(2025, 9, 5);
    const record = {
      accountId,
      seq: 1,
      atMs,
      action: 'invoice.issue',
      outcome: 'ok',
      tokenId: null,
      requestId: 'req_1',
      walletId: null,
      units: 1,
      subject: 'INV-000001',
    };
    const own = toHex(hashRecord(GENESIS, record));
    await makeEarlier(place, {
      before: '0021_document_digests',
      rows: [
        `insert into audit_tips (account_id, seq, hash) values ('${accountId}', 1, '\\x${own}')`,
        `insert into audit_records (account_id, seq, at, action, outcome, request_id, subject, previous_hash, hash) values
          ('${accountId}', 1, '${new Date(atMs).toISOString()}', 'invoice.issue', 'ok', 'req_1', 'INV-000001', '\\x${toHex(GENESIS)}', '\\x${own}')`,
      ],
    });
    const store = await useStore(place);
    const fact = { action: 'invoice.issue', outcome: 'ok', requestId: 'req_2', subject: 'INV-000002' };
    const facts = [{ ...fact, documentSha256: 'ab'.repeat(32) }];
    await store.transaction((tx) => appendAudit(tx, accountId, facts, atMs));
    const headsFile = join(tmpdir(), `keyslot-no-heads-${accountId}`);
    const { isSound, accounts } = await verifyAudit({ store, headsFile, trustedKeys: [] }, accountId);
    expect([isSound, accounts.map(({ records }) => records)]).toEqual([true, [2]]);
  });
});
