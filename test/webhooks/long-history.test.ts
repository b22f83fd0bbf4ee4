import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { sql } from '../../src/store/drizzle.ts';
import { readDelivery } from '../../src/webhooks/deliveries.ts';
import { describeStores, type TestBackend } from '../store/backends.ts';
import { openWorld } from './open-world.ts';

describeStores('a webhook with a long history', (backend: TestBackend) => {
  const opened = backend.emptied();

  test('shows the newest hundred attempts of a delivery', async () => {
    const store = opened();
    const world = await openWorld(store);
    const id = randomUUID();
    await store.db.execute(sql`
      insert into webhook_deliveries (id, webhook_id, event_id, type, body, state, attempts, failures, created_at)
      values (${id}::uuid, ${world.own.id}::uuid, 'a', 'wallet.sign', '{}', 'waiting', 101, 9, now())`);
    await store.db.execute(sql`
      insert into webhook_attempts (delivery_id, number, at, duration_ms, error)
      select ${id}::uuid, n, now(), 1, 'ECONNREFUSED' from generate_series(1, 101) n`);
    const { attempts } = await readDelivery(store, { accountId: world.accountId, id });
    expect(attempts.map(({ number }) => number)).toEqual(Array.from({ length: 100 }, (_, n) => 101 - n));
  });
});
