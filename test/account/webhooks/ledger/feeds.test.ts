import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { eventually } from '../../../../src/core/eventually.ts';
import { sql } from '../../../../src/store/drizzle.ts';
import { purgeDeliveries, retainDeliveries } from '../../../../src/account/webhooks/deliveries.ts';
import { chooseLedger } from '../../../../src/account/webhooks/ledger/choose-ledger.ts';
import {
  MAX_QUEUED,
  readFeeds,
  StaleFeed,
  writeSteps,
} from '../../../../src/account/webhooks/ledger/feeds.ts';
import { gapFact } from '../../../../src/account/webhooks/ledger/ledger-fact.ts';
import { lockWebhook } from '../../../../src/account/webhooks/webhooks.ts';
import { NOW_MS } from '../../new-customer.ts';
import { describeStores, type TestBackend } from '../../../store/backends.ts';
import { openLedgerWorld, PAYEE, from, slotsOf } from './open-ledger-world.ts';

const OF_PAYEE = [{ kind: 'program' as const, value: PAYEE }];

describeStores('what webhooks are to get of a ledger', (backend: TestBackend) => {
  const opened = backend.emptied();

  test('a webhook with too much to send waits, loses nothing, and continues when half of it is gone', async () => {
    const world = await openLedgerWorld(opened());
    const id = await world.make(OF_PAYEE);
    const { ended } = world.start([id]);
    world.ledger.grow(101);
    await world.events(id, 1);
    await world.store.db.execute(sql`
      insert into webhook_deliveries (id, webhook_id, event_id, type, body, position, state, attempts, failures, created_at)
      select gen_random_uuid(), ${id}::uuid, 'filler ' || n, 'ledger.gap', '{}', 0, 'queued', 0, 0, now()
      from generate_series(1, ${MAX_QUEUED}) n`);
    world.ledger.grow(102, 103);
    await ended;
    expect((await world.webhook(id)).ledger).toMatchObject({ events: 1, queued: MAX_QUEUED + 1 });
    await world.store.db.execute(sql`delete from webhook_deliveries where position = 0`);
    world.start([id]);
    expect(slotsOf(await world.events(id, 3))).toEqual([101, 102, 103]);
  });

  test('a webhook that is turned off gets nothing, and all of it when it is turned on', async () => {
    const world = await openLedgerWorld(opened());
    const [id, other] = [await world.make(OF_PAYEE), await world.make(OF_PAYEE)];
    world.start([id, other]);
    world.ledger.grow(101);
    await world.events(id, 1);
    await world.turn(id, false);
    world.ledger.grow(102, 103);
    await world.events(other, 3);
    expect(await world.stored(id)).toHaveLength(1);
    await world.turn(id, true);
    world.start([id]);
    expect(slotsOf(await world.events(id, 3))).toEqual([101, 102, 103]);
  });

  test('lanes that have caught up continue as one', async () => {
    const world = await openLedgerWorld(opened());
    const first = await world.make(OF_PAYEE);
    const { lane } = world.start([first]);
    world.ledger.grow(101, 102);
    await world.events(first, 2);
    const second = await world.make(OF_PAYEE);
    const beside = world.start([second]);
    await eventually('both are at the same slot', () => lane.slot === beside.lane.slot || undefined);
    await eventually('one takes the other over', () => {
      lane.takeOver(beside.lane);
      return lane.has(second) || undefined;
    });
    await beside.ended;
    world.ledger.grow(103, 104);
    expect(slotsOf(await world.events(second, 2))).toEqual([103, 104]);
    expect(slotsOf(await world.events(first, 4))).toEqual([101, 102, 103, 104]);
  });

  test('events and places are stored together, or neither: two that read for one webhook write each event once', async () => {
    const world = await openLedgerWorld(opened());
    const id = await world.make(OF_PAYEE);
    world.start([id]);
    world.start([id]);
    world.ledger.grow(...from(101, 20));
    const events = await world.events(id, 20);
    await eventually(
      'both have read all',
      async () => (await world.webhook(id)).ledger?.slot === 120 || undefined,
    );
    expect(slotsOf(events)).toEqual(from(101, 20));
    expect(await world.stored(id)).toHaveLength(20);
    const [feed] = await readFeeds(world.store, [id]);
    if (feed === undefined) throw new Error('there is no feed');
    const to = { slot: 130, genesis: 'genesis', blockhash: undefined };
    const step = { feed: { ...feed, revision: feed.revision + 1 }, to, facts: [gapFact(1, 'too_old', {})] };
    await expect(writeSteps(world.store, [step], NOW_MS)).rejects.toThrow(StaleFeed);
    expect(await world.stored(id)).toHaveLength(20);
    expect((await world.webhook(id)).ledger).toMatchObject({ slot: 120, events: 20 });
  });

  test('an event that comes while a member changes the webhook waits for the change', async () => {
    // The embedded store has one connection: there nothing happens meanwhile.
    if (backend.kind === 'pglite') return;
    const world = await openLedgerWorld(opened());
    const id = await world.make(OF_PAYEE);
    const [feed] = await readFeeds(world.store, [id]);
    if (feed === undefined) throw new Error('there is no feed');
    const to = { slot: 101, genesis: feed.place?.genesis ?? '', blockhash: undefined };
    const step = { feed, to, facts: [gapFact(101, 'too_old', {})] };
    const written = await world.store.transaction(async (tx) => {
      await lockWebhook(tx, { accountId: world.accountId, id });
      const { rows } = await tx.execute<{ readonly pid: number }>(sql`select pg_backend_pid() as pid`);
      const writing = writeSteps(world.store, [step], NOW_MS).catch((error: unknown) => error);
      const isBlocked = sql`select from pg_stat_activity where ${rows[0]?.pid}::integer = any(pg_blocking_pids(pid))`;
      await eventually('the event waits', async () => {
        const { rowCount } = await world.store.db.execute(isBlocked);
        return rowCount === 0 ? undefined : true;
      });
      const filters = [{ kind: 'address' as const, value: PAYEE }];
      const choice = { network: feed.network, commitment: feed.commitment, filters, start: undefined };
      await chooseLedger(tx, id, choice, feed.patterns);
      return { writing };
    });
    expect(await written.writing).toBeInstanceOf(StaleFeed);
    expect((await world.webhook(id)).ledger).toMatchObject({ filters: [{ kind: 'address' }], events: 0 });
  });

  test('only what was settled is deleted with age', async () => {
    const world = await openLedgerWorld(opened());
    const id = await world.make(OF_PAYEE);
    world.start([id]);
    world.ledger.grow(101, 102, 103);
    await world.events(id, 3);
    await world.store.db.execute(
      sql`update webhook_deliveries set state = 'delivered' where webhook_id = ${id} and position = 1`,
    );
    await world.store.db.execute(sql`
      insert into webhook_deliveries (id, webhook_id, event_id, type, seq, state, attempts, failures, created_at)
      values (${randomUUID()}, ${id}, 'audit', 'wallet.sign', 1, 'delivered', 1, 0, ${new Date(NOW_MS).toISOString()})`);
    expect(await purgeDeliveries(world.store, NOW_MS + 1, true)).toBe(false);
    expect((await world.stored(id)).map(({ position }) => position)).toEqual([2, 3, null]);
    await purgeDeliveries(world.store, NOW_MS + 1);
    expect((await world.stored(id)).map(({ position }) => position)).toEqual([2, 3]);
  });

  test('settled deliveries are kept as many days as the settings say, those of ledgers by a figure of their own', async () => {
    const world = await openLedgerWorld(opened());
    const id = await world.make(OF_PAYEE);
    world.start([id]);
    world.ledger.grow(101, 102);
    await world.events(id, 2);
    const daysOld = (days: number): string => new Date(NOW_MS - days * 86_400_000 - 1).toISOString();
    await world.store.db.execute(sql`
      update webhook_deliveries set state = 'delivered', created_at = case position
        when 1 then ${daysOld(5)}::timestamptz else ${daysOld(4)}::timestamptz end where webhook_id = ${id}`);
    for (const [seq, days] of [
      [1, 11],
      [2, 9],
    ] as const)
      await world.store.db.execute(sql`
        insert into webhook_deliveries (id, webhook_id, event_id, type, seq, state, attempts, failures, created_at)
        values (${randomUUID()}, ${id}, ${`audit ${seq}`}, 'wallet.sign', ${seq}, 'failed', 1, 0, ${daysOld(days)})`);
    await retainDeliveries(world.store, { retention_days: 10, ledger_retention_days: 5 }, NOW_MS);
    const left = (await world.stored(id)).map(({ position, seq }) => position ?? seq);
    expect(left.sort()).toEqual([2, 2]);
  });
});
