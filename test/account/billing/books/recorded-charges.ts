import { expect } from 'vitest';
import { sql } from '../../../../src/store/drizzle.ts';
import type { Store } from '../../../../src/store/open-store.ts';

/** Holds the charges in the audit log to those in the books: the same units and the same amount of each price row and month. */
export async function expectRecordedCharges({ db }: Store): Promise<void> {
  const counted = await db.execute(sql`
    select c.account_id, c.operation, c.month, c.units::text, (
      select coalesce(sum(e.amount), 0) from ledger_transactions t join ledger_entries e on e.transaction_id = t.id
      where t.account_id = c.account_id and t.operation = c.operation and t.month = c.month and e.kind = 'revenue'
    )::text as amount
    from operation_counts c where c.units > 0 order by 1, 2, 3`);
  const recorded = await db.execute(sql`
    select account_id, c ->> 0 as operation, c ->> 2 as month, sum((c ->> 1)::bigint)::text as units, sum((c ->> 3)::bigint)::text as amount
    from audit_records, jsonb_array_elements(charges::jsonb) c group by 1, 2, 3 order by 1, 2, 3`);
  expect(recorded.rows).toEqual(counted.rows);
}
