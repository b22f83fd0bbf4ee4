import { expect, test } from 'vitest';
import { deleteExpiredKeys } from '../../src/account/idempotency/idempotency.ts';
import { idempotencyKeys } from '../../src/store/access-tables.ts';
import { eq, sql } from '../../src/store/drizzle.ts';
import { describeStores } from '../store/backends.ts';
import { newCustomer, NOW_MS } from './new-customer.ts';

const DAY_MS = 86_400_000;
/** More than two portions. */
const MANY = 10_001;

describeStores('idempotency keys whose day is over', (backend) => {
  const store = backend.shared();

  test('are deleted, however many they are, and younger ones are kept', async () => {
    const accountId = await newCustomer(store());
    const instant = (ms: number) => sql`${new Date(ms).toISOString()}::timestamptz`;
    await store().db.execute(sql`
      insert into idempotency_keys (account_id, key, fingerprint, created_at)
      select ${accountId}::uuid, n::text, ''::bytea, ${instant(NOW_MS - DAY_MS)} from generate_series(1, ${MANY}) n
      union all select ${accountId}::uuid, 'young', ''::bytea, ${instant(NOW_MS - DAY_MS + 1)}`);
    await deleteExpiredKeys(store(), NOW_MS);
    const left = await store()
      .db.select({ key: idempotencyKeys.key })
      .from(idempotencyKeys)
      .where(eq(idempotencyKeys.accountId, accountId));
    expect(left).toEqual([{ key: 'young' }]);
  });
});
