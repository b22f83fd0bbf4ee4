import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { sql } from '../../src/store/drizzle.ts';
import { readInOrder } from '../../src/store/read-in-order.ts';
import { createStatement } from '../../src/store/statement.ts';
import { describeStores, useStore } from './backends.ts';

const ACCOUNT = randomUUID();
const RECORDS = 20_000;

const explain = createStatement<Record<string, unknown>, { readonly 'QUERY PLAN': string }>(
  () => sql`explain select * from audit_records
    where account_id = ${sql.raw(`'${ACCOUNT}'`)} and seq < 1000000 order by seq desc limit 5000`,
);

describeStores('reading in order', (backend) => {
  test('walks an index where statistics are missing, for its own transaction alone', async () => {
    // A store that files share has statistics.
    const store = await useStore(backend.place());
    // It would collect some.
    await store.db.execute(sql`alter table audit_records set (autovacuum_enabled = off)`);
    await store.db.execute(sql`
      insert into audit_records (account_id, seq, at, action, outcome, request_id, previous_hash, hash)
      select ${ACCOUNT}::uuid, i, now(), 'sign', 'ok', 'req_' || i, '', '' from generate_series(1, ${RECORDS}::int) i`);
    // Without the estimates, which change as pages are written.
    const planOf = (rows: readonly { readonly 'QUERY PLAN': string }[]) =>
      rows.map((row) => row['QUERY PLAN'].replace(/ {2}\(cost=.*\)$/, '')).join('\n');
    const before = planOf((await explain(store.db, {})).rows);
    const [, { rows }] = await store.batched((db) => [readInOrder(db), explain(db, {})]);
    expect(before).toContain('Sort');
    expect(planOf(rows)).toMatch(
      /^Limit\n +-> +Index Scan Backward using audit_records_\S+ on audit_records/,
    );
    expect(planOf((await explain(store.db, {})).rows)).toBe(before);
  });
});
