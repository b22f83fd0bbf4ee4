import { eq, sql } from '../../../src/store/drizzle.ts';
import { expect, onTestFinished, test } from 'vitest';
import { joinGateways } from '../../../src/account/processes/gateway.ts';
import { createMoney } from '../../../src/account/billing/books/money.ts';
import { readBalance } from '../../../src/account/billing/books/balance.ts';
import { listAudit } from '../../../src/account/audit/list-audit.ts';
import { SPEC_PRICES } from '../../../src/account/billing/books/prices.ts';
import { utcMonth } from '../../../src/core/utc-month.ts';
import { gateways, idempotencyKeys } from '../../../src/store/access-tables.ts';
import type { Store } from '../../../src/store/open-store.ts';
import { describeStores, SILENT, useStore } from '../../store/backends.ts';
import { eventually } from '../../../src/core/eventually.ts';
import { newCustomer, NOW_MS } from '../new-customer.ts';
import { expectSoundBooks, pay } from '../billing/books/books.ts';
import { HELD, HOLDER_ID, startHolder, STREAMED } from './start-holder.ts';

const clock = { nowMs: () => NOW_MS };
const join = (store: Store, beatMs = 600_000) => joinGateways({ store, clock, log: SILENT, beatMs });

/** Sets aside 2,000 of 5,000 micro-USD. */
async function reserveAs(store: Store, ownerId: string): Promise<string> {
  const accountId = await newCustomer(store);
  await pay(store, accountId, 5_000n);
  const work = { accountId, operation: 'wallet_creation', units: 2, nowMs: NOW_MS } as const;
  await store.transaction((tx) => createMoney({ ownerId }).reserve(tx, work));
  return accountId;
}

describeStores('a process that serves', (backend) => {
  test('and was killed has what it may have delivered charged in full at the next start, once, and the rest given back', async () => {
    const place = backend.place();
    for (const round of [1n, 2n]) {
      const holder = await startHolder(place);
      await holder.kill();
      const store = await useStore(place);
      await Promise.all([join(store), join(store), join(store)]);
      const charged = round * BigInt(HELD.delivered + STREAMED.units) * 1_000n;
      const available = round * HELD.paid - charged;
      expect(await readBalance(store, HOLDER_ID, NOW_MS)).toMatchObject({ available, reserved: 0n, charged });
      expect(await store.db.select().from(idempotencyKeys)).toMatchObject([
        { key: STREAMED.key, status: 200, body: null, charged: STREAMED.units, ownerId: null },
      ]);
      await expectSoundBooks(store, SPEC_PRICES);
      const { records } = await listAudit(store, HOLDER_ID, { action: 'charge', limit: 10 });
      const units = STREAMED.units;
      const charge = { operation: 'wallet_creation', units, month: utcMonth(NOW_MS), amount: units * 1_000 };
      expect(records).toHaveLength(Number(round));
      expect(records[0]).toMatchObject({ outcome: 'interrupted', units, charges: [charge] });
      await store.close();
    }
  }, 600_000);

  test('and lives keeps what it has set aside, until it stops', async () => {
    const store = await useStore(backend.place());
    const gateway = await join(store);
    const accountId = await reserveAs(store, gateway.id);
    if (backend.kind === 'postgres') await (await join(store)).close();
    expect(await readBalance(store, accountId, NOW_MS)).toMatchObject({
      available: 3_000n,
      reserved: 2_000n,
    });
    await gateway.close();
    expect(await readBalance(store, accountId, NOW_MS)).toMatchObject({ available: 5_000n, reserved: 0n });
    expect(await store.db.select().from(gateways)).toEqual([]);
  });

  // The embedded store has one process.
  if (backend.kind === 'pglite') return;

  /** Joins with a clock of the test. @returns a function that sets it forward, and waits for what is done by then. */
  async function joinWatching(store: Store): Promise<(ms: number) => Promise<void>> {
    let [nowMs, watched] = [0, 0];
    const elapsedMs = () => {
      watched += 1;
      return nowMs;
    };
    const gateway = await joinGateways({ store, clock, log: SILENT, beatMs: 5, elapsedMs });
    onTestFinished(gateway.close);
    return async (ms) => {
      nowMs += ms;
      const until = watched + 2;
      await eventually('it beats', () => watched >= until || undefined, { intervalMs: 5 });
    };
  }

  /** A process of another machine, whose heart beats when it is told, and what it has reserved. */
  async function elsewhere(store: Store) {
    const id = crypto.randomUUID();
    const mark = { machine: 'another', pid: 1, started: '1' };
    await store.db.insert(gateways).values({ ...mark, id });
    const accountId = await reserveAs(store, id);
    return {
      reserved: async () => (await readBalance(store, accountId, NOW_MS)).reserved,
      beat: (at = sql`now()`) =>
        store.db.update(gateways).set({ seenAt: at }).where(eq(gateways.id, id)).returning(),
    };
  }

  test('on another machine counts as gone when no heartbeat was seen for a minute, and is found by those that serve on', async () => {
    const store = await useStore(backend.place());
    const [seen, silent] = [await elsewhere(store), await elsewhere(store)];
    await silent.beat(sql`now() - interval '1 hour'`);
    const wait = await joinWatching(store);
    for (let beat = 0; beat < 6; beat += 1) {
      expect([await seen.reserved(), await silent.reserved()]).toEqual([2_000n, 2_000n]);
      await seen.beat();
      await wait(10_000);
    }
    expect([await seen.reserved(), await silent.reserved()]).toEqual([2_000n, 0n]);

    const later = await reserveAs(store, crypto.randomUUID());
    await wait(0);
    expect(await readBalance(store, later, NOW_MS)).toMatchObject({ reserved: 0n });
  });

  test('is not taken for gone while nobody reaches the store, nor within a minute after', async () => {
    const store = await useStore(backend.place());
    const other = await elsewhere(store);
    await other.beat(sql`now() - interval '3 minutes'`);
    const wait = await joinWatching(store);
    for (const ms of [10_000, 120_000, 50_000, 120_000, ...Array<number>(5).fill(10_000)]) {
      await wait(ms);
      expect(await other.reserved()).toBe(2_000n);
    }
    await other.beat();
    await wait(0);
    for (let beat = 0; beat < 6; beat += 1) {
      expect(await other.reserved()).toBe(2_000n);
      await wait(10_000);
    }
    expect(await other.reserved()).toBe(0n);
  });
});
