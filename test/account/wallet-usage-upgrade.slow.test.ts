import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { GENESIS } from '../../runtime/audit-bytes.ts';
import { toHex } from '../../runtime/hex.ts';
import { readStatements } from '../../src/account/billing/invoices/read-statements.ts';
import { readWalletUsage } from '../../src/account/usage/read-wallet-usage.ts';
import { sumWalletUsage } from '../../src/account/usage/sum-wallet-usage.ts';
import { sql } from '../../src/store/drizzle.ts';
import type { Store } from '../../src/store/open-store.ts';
import { walletChargeHours } from '../../src/store/usage-tables.ts';
import { describeStores, useStore } from '../store/backends.ts';
import { makeEarlier } from '../store/make-earlier.ts';

const HOUR_MS = 3_600_000;
const FIRST = Date.UTC(2025, 9, 2);
const HOURS = 40;
/** In each hour; in all they are more than a step adds up. */
const CHARGES = 501n;

/** Writes charges of 1 unit, each of which costs 100, in turn to the given hours. */
function insertCharges(accountId: string, count: number, hours: number): readonly string[] {
  return [
    'set local session_replication_role = replica',
    `with made as (
      insert into ledger_transactions (account_id, kind, operation, units, month, created_at)
      select '${accountId}', 'charge', 'managed_signing', 1, '2025-10', '2025-10-02 00:04Z'::timestamptz + n % ${hours} * interval '1 hour'
      from generate_series(1, ${count}) n returning id
    )
    insert into ledger_entries (transaction_id, account_id, kind, amount, balance_after)
    select id, '${accountId}', 'revenue', 100, 0 from made`,
    'set local session_replication_role = origin',
  ];
}

/** Adds charges up as the version before `wallet_charge_sums` does. */
function sumByTime(store: Store, accountId: string, until: Date): Promise<void> {
  return store.transaction(async (tx) => {
    const { rows } = await tx.execute<{ readonly charged_until: string }>(sql`
      insert into wallet_sum_tips (account_id, seq, charged_until) values (${accountId}, 0, ${new Date(0)})
      on conflict (account_id) do update set account_id = excluded.account_id
      returning seq, charged_until`);
    const from = new Date(rows[0]?.charged_until ?? '');
    await tx.execute(sql`
      insert into wallet_charge_hours (account_id, hour, operation, units, cost)
      select ${accountId}::uuid, date_trunc('hour', t.created_at, 'UTC'), t.operation, sum(t.units), sum(e.amount)
      from ledger_transactions t join ledger_entries e on e.transaction_id = t.id and e.kind = 'revenue'
      where t.account_id = ${accountId} and t.created_at >= ${from} and t.created_at < ${until} and t.kind = 'charge'
      group by 2, 3`);
    await tx.execute(
      sql`update wallet_sum_tips set charged_until = ${until} where account_id = ${accountId}`,
    );
  });
}

describeStores('an earlier store whose gateways are upgraded one after the other', (backend) => {
  test('has exact figures, in which the sums of old gateways have no part, and leaves those to them', async () => {
    const place = backend.place();
    const accountId = randomUUID();
    const nowMs = FIRST + 48 * HOUR_MS;
    await makeEarlier(place, {
      before: '0024_late_clocks',
      rows: [
        `insert into accounts (id, kind, name, created_at) values ('${accountId}', 'customer', 'acme', '2025-10-01')`,
        `insert into ledger_accounts (account_id, kind, floor) values ('${accountId}', 'available', -50000000), ('${accountId}', 'revenue', 0)`,
        ...insertCharges(accountId, HOURS * Number(CHARGES), HOURS),
        `insert into audit_tips (account_id, seq, hash) values ('${accountId}', 0, '\\x${toHex(GENESIS)}')`,
        `insert into wallet_sum_tips (account_id, seq, charged_until) values ('${accountId}', 0, '2025-10-02 02:00Z')`,
        `insert into wallet_charge_hours (account_id, hour, operation, units, cost) values
          ('${accountId}', '2025-10-02 00:00Z', 'managed_signing', ${CHARGES}, ${CHARGES * 100n}),
          ('${accountId}', '2025-10-02 01:00Z', 'managed_signing', ${CHARGES}, ${CHARGES * 100n})`,
      ],
    });
    const store = await useStore(place);
    const expectFigures = async (units: readonly bigint[]) => {
      const usage = await readWalletUsage(store, { sinceMs: FIRST, by: 'hour', accountId });
      expect(usage.map(({ charged }) => charged?.units)).toEqual(units);
      const months = { accountId, createdAt: new Date(FIRST), nowMs };
      const cost = 100n * units.reduce((sum, count) => sum + count, 0n);
      expect((await readStatements(store, months))[0]?.charged).toBe(cost);
    };
    const expectHoursOfOld = async (hours: number) => {
      const rows = await store.db.select().from(walletChargeHours).orderBy(walletChargeHours.hour);
      expect(rows.map(({ units }) => units)).toEqual(Array.from({ length: hours }, () => CHARGES));
    };
    const before = Array.from({ length: HOURS }, () => CHARGES);
    await expectFigures(before);
    await sumByTime(store, accountId, new Date(FIRST + 10 * HOUR_MS));
    await expectFigures(before);
    expect(await sumWalletUsage(store, nowMs)).toBe(true);
    await expectFigures(before);
    await sumByTime(store, accountId, new Date(FIRST + 20 * HOUR_MS));
    await expectFigures(before);
    expect(await sumWalletUsage(store, nowMs)).toBe(true);
    expect(await sumWalletUsage(store, nowMs)).toBe(false);
    await store.transaction(async (tx) => {
      for (const statement of insertCharges(accountId, 10, 10)) await tx.execute(sql.raw(statement));
    });
    const late = before.map((units, hour) => (hour < 10 ? units + 1n : units));
    await expectFigures(late);
    await sumByTime(store, accountId, new Date(FIRST + HOURS * HOUR_MS));
    expect(await sumWalletUsage(store, nowMs + 25 * HOUR_MS)).toBe(true);
    await expectFigures(late);
    await expectHoursOfOld(HOURS);
  });
});

describeStores('gateways of two versions', (backend) => {
  const store = backend.emptied();

  test('add up an account each for itself, also when the new one is the first', async () => {
    const accountId = randomUUID();
    await store().transaction(async (tx) => {
      for (const statement of [
        `insert into accounts (id, kind, name, created_at) values ('${accountId}', 'customer', 'acme', '2025-10-01')`,
        `insert into audit_tips (account_id, seq, hash) values ('${accountId}', 1000, '\\x${toHex(GENESIS)}')`,
        ...insertCharges(accountId, 4, 2),
      ])
        await tx.execute(sql.raw(statement));
    });
    for (const hasMore of [true, false]) expect(await sumWalletUsage(store(), FIRST)).toBe(hasMore);
    await sumByTime(store(), accountId, new Date(FIRST + 2 * HOUR_MS));
    const usage = await readWalletUsage(store(), { sinceMs: 0, by: 'hour', accountId });
    expect(usage.map(({ charged }) => charged?.units)).toEqual([2n, 2n]);
    const hours = await store().db.select().from(walletChargeHours);
    expect(hours.map(({ units }) => units)).toEqual([2n, 2n]);
  });
});
