import { sql } from '../../../src/store/drizzle.ts';
import { expect, test } from 'vitest';
import { joinGateways } from '../../../src/account/gateway/gateway.ts';
import { createMoney } from '../../../src/account/money/money.ts';
import { readBalance } from '../../../src/account/money/balance.ts';
import { listAudit } from '../../../src/account/audit/list-audit.ts';
import { SPEC_PRICES, utcMonth } from '../../../src/account/money/prices.ts';
import { gateways, idempotencyKeys } from '../../../src/store/access-tables.ts';
import type { Store } from '../../../src/store/open-store.ts';
import { describeStores, SILENT, useStore } from '../../store/backends.ts';
import { eventually } from '../../../src/base/eventually.ts';
import { newCustomer, NOW_MS } from '../new-customer.ts';
import { expectSoundBooks, pay } from '../money/books.ts';
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

  test('on another machine counts as gone when it was not seen for a minute, and is found by those that serve on', async () => {
    const store = await useStore(backend.place());
    const elsewhere = { machine: 'another', pid: 1, started: '1' };
    const [seen, silent] = [crypto.randomUUID(), crypto.randomUUID()];
    await store.db.insert(gateways).values([
      { ...elsewhere, id: seen, seenAt: sql`now() - interval '50 seconds'` as unknown as Date },
      { ...elsewhere, id: silent, seenAt: sql`now() - interval '61 seconds'` as unknown as Date },
    ]);
    const [kept, returned] = [await reserveAs(store, seen), await reserveAs(store, silent)];
    const gateway = await join(store, 20);
    const reserved = async (accountId: string) => (await readBalance(store, accountId, NOW_MS)).reserved;
    expect([await reserved(kept), await reserved(returned)]).toEqual([2_000n, 0n]);

    const left = crypto.randomUUID();
    const later = await reserveAs(store, left);
    await eventually('a later one is given back too', async () =>
      (await reserved(later)) === 0n ? true : undefined,
    );
    expect(await reserved(kept)).toBe(2_000n);
    await gateway.close();
  });
});
