import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { sql } from '../../../src/store/drizzle.ts';
import type { Store } from '../../../src/store/open-store.ts';
import { deleteWebhook } from '../../../src/account/webhooks/delete-webhook.ts';
import { readDelivery } from '../../../src/account/webhooks/deliveries.ts';
import { describeStores, type TestBackend } from '../../store/backends.ts';
import { NOW_MS } from '../new-customer.ts';
import { openWorld } from './open-world.ts';

/** Adds deliveries of a webhook that were taken. */
async function fill(store: Store, webhookId: string, count: number): Promise<void> {
  await store.db.execute(sql`
    insert into webhook_deliveries (id, webhook_id, event_id, type, body, state, attempts, failures, created_at)
    select gen_random_uuid(), ${webhookId}::uuid, 'filler ' || n, 'wallet.sign', '{}', 'delivered', 1, 0, now()
    from generate_series(1, ${count}) n`);
}

async function counted(store: Store): Promise<number> {
  const { rows } = await store.db.execute<{ readonly count: string }>(
    sql`select count(*) from webhook_deliveries`,
  );
  return Number(rows[0]?.count);
}

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

  test('is stopped at once and deleted in portions, again where that ended half way, with one record', async () => {
    const store = opened();
    const world = await openWorld(store);
    await fill(store, world.own.id, 4_500);
    const recorded: string[] = [];
    const record = async (_tx: unknown, id: string): Promise<void> => void recorded.push(id);
    // The process ends after the stop and the first portion.
    let transactions = 0;
    const transaction: Store['transaction'] = (work) =>
      ++transactions > 2 ? Promise.reject(new Error('the process has ended')) : store.transaction(work);
    const ending = { store: { db: store.db, transaction }, record };
    await expect(deleteWebhook(ending, world.own, NOW_MS)).rejects.toThrow('the process has ended');
    expect(await world.webhook()).toMatchObject({ stop: 'turned_off', stoppedAt: new Date(NOW_MS) });
    expect(await counted(store)).toBe(2_500);
    expect(recorded).toEqual([]);
    expect(await deleteWebhook({ store, record }, world.own, NOW_MS)).toMatchObject({ id: world.own.id });
    expect(recorded).toEqual([world.own.id]);
    expect(await counted(store)).toBe(0);
    await expect(deleteWebhook({ store, record }, world.own, NOW_MS)).rejects.toThrow(
      expect.objectContaining({ code: 'webhookNotFound' }),
    );
  });
});
