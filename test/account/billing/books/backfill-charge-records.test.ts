import { randomUUID } from 'node:crypto';
import { eq } from '../../../../src/store/drizzle.ts';
import { expect, test } from 'vitest';
import { verifyAudit } from '../../../../src/account/audit/verify-audit.ts';
import { backfillChargeRecords } from '../../../../src/account/billing/books/backfill-charge-records.ts';
import { auditRecords } from '../../../../src/store/audit-tables.ts';
import { carriedCharges } from '../../../../src/store/money-tables.ts';
import { newCustomer, NOW_MS } from '../../new-customer.ts';
import { describeStores, useStore } from '../../../store/backends.ts';
import { makeEarlier } from '../../../store/make-earlier.ts';

describeStores('charges from before the audit log had them', (backend) => {
  const store = backend.shared();

  test('are recorded once, in a record of each account, however many servers start', async () => {
    const [first, second] = [await newCustomer(store()), await newCustomer(store())];
    await store()
      .db.insert(carriedCharges)
      .values([
        {
          accountId: first,
          operation: 'wallet_creation',
          month: '2025-10',
          units: 1_000_001n,
          amount: 1_000_000_400n,
        },
        { accountId: first, operation: 'managed_signing', month: '2025-10', units: 7n, amount: 700n },
        { accountId: first, operation: 'wallet_creation', month: '2025-09', units: 2n, amount: 2_000n },
        { accountId: second, operation: 'hd_master_creation', month: '2025-10', units: 3n, amount: 0n },
      ]);
    await Promise.all([backfillChargeRecords(store(), NOW_MS), backfillChargeRecords(store(), NOW_MS)]);
    await backfillChargeRecords(store(), NOW_MS);

    const recordsOf = (accountId: string) =>
      store().db.select().from(auditRecords).where(eq(auditRecords.accountId, accountId));
    const carried = { action: 'charge', outcome: 'carried', tokenId: null, units: 1 };
    expect(await recordsOf(first)).toMatchObject([
      {
        ...carried,
        charges: [
          { operation: 'wallet_creation', month: '2025-09', units: 2, amount: 2_000 },
          { operation: 'managed_signing', month: '2025-10', units: 7, amount: 700 },
          { operation: 'wallet_creation', month: '2025-10', units: 1_000_001, amount: 1_000_000_400 },
        ],
      },
    ]);
    expect(await recordsOf(second)).toMatchObject([
      { ...carried, charges: [{ operation: 'hd_master_creation', month: '2025-10', units: 3, amount: 0 }] },
    ]);
    const verdict = await verifyAudit({ store: store(), headsFile: '/nowhere', trustedKeys: [] }, first);
    expect(verdict.isSound).toBe(true);
  });
});

describeStores('a store of the version before the audit log had charges', (backend) => {
  test('keeps the charges of this month and the last to be recorded, at the amounts of its books', async () => {
    const place = backend.place();
    const id = randomUUID();
    const month = (ago: number): string =>
      `to_char((date_trunc('month', now(), 'UTC') - interval '${ago} month') at time zone 'UTC', 'YYYY-MM')`;
    const charge = (ago: number, amount: number): string => `
      with made as (
        insert into ledger_transactions (account_id, kind, operation, units, month, created_at)
        values ('${id}', 'charge', 'wallet_creation', 5, ${month(ago)}, now() - interval '${ago} month') returning id
      )
      insert into ledger_entries (transaction_id, account_id, kind, amount, balance_after)
      select id, '${id}'::uuid, kind, amount, ${amount} from made,
        (values ('available', -${amount}), ('revenue', ${amount})) as part (kind, amount)`;
    await makeEarlier(place, {
      before: '0018_charges_of_records',
      rows: [
        `insert into accounts (id, kind, name, created_at) values ('${id}', 'customer', 'acme', now())`,
        `insert into ledger_accounts (account_id, kind, balance, floor) values
          ('${id}', 'available', 0, 0), ('${id}', 'revenue', 0, 0), ('${id}', 'funding', 0, null)`,
        ...[2, 1, 0].map(
          (ago) => `insert into operation_counts (account_id, operation, month, units) values
            ('${id}', 'wallet_creation', ${month(ago)}, ${10 + ago}), ('${id}', 'hd_master_creation', ${month(ago)}, 1)`,
        ),
        ...[charge(2, 7_000), charge(1, 4_000), charge(0, 4_500), charge(0, 500)],
      ],
    });
    const store = await useStore(place);
    const rows = await store.db.select().from(carriedCharges);
    expect(rows.map(({ operation, units, amount }) => `${operation} ${units} ${amount}`).sort()).toEqual([
      'hd_master_creation 1 0',
      'hd_master_creation 1 0',
      'wallet_creation 10 5000',
      'wallet_creation 11 4000',
    ]);
  });
});
