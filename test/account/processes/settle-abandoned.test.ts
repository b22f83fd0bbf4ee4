import { randomUUID } from 'node:crypto';
import pino from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { describePrices } from '../../../runtime/used-prices.ts';
import { joinGateways, settleAbandoned } from '../../../src/account/processes/gateway.ts';
import { readBalance } from '../../../src/account/billing/books/balance.ts';
import { createMoney } from '../../../src/account/billing/books/money.ts';
import { SPEC_PRICES } from '../../../src/account/billing/books/prices.ts';
import { newTerms, type ReservationTerms } from '../../../src/account/billing/books/reservation.ts';
import { eventually } from '../../../src/core/eventually.ts';
import { idempotencyKeys } from '../../../src/store/access-tables.ts';
import { eq, isNull, sql } from '../../../src/store/drizzle.ts';
import { reservations } from '../../../src/store/money-tables.ts';
import type { Store } from '../../../src/store/open-store.ts';
import { describeStores, SILENT, useStore } from '../../store/backends.ts';
import { makeEarlier } from '../../store/make-earlier.ts';
import { provedBut, signHeads, verifyInvoice } from '../billing/invoices/billed-account.ts';
import { CLOSING, HOUR, inOctober, NOVEMBER, OCTOBER, SEPTEMBER } from '../billing/invoices/october.ts';
import { expectBalanced } from '../billing/books/books.ts';

/** As before the price list of the specification: its first units cost less. */
const CHEAPER = {
  volumeThreshold: 10n,
  prices: { ...SPEC_PRICES.prices, wallet_creation: { standard: 900n, volume: 400n } },
};
const UNITS = 15;
const RESERVED = 10n * 900n + 5n * 400n;

describeStores('what a process that is gone reserved', (backend) => {
  const store = backend.emptied();
  const { invoiced, close } = inOctober(store);
  const ownerId = randomUUID();
  const gone = createMoney({ ownerId, prices: CHEAPER });
  const clock = { nowMs: () => OCTOBER };

  const reserve = (accountId: string, isChargedWhenLost: boolean) => {
    const work = { accountId, operation: 'wallet_creation', units: UNITS, nowMs: OCTOBER } as const;
    const terms: ReservationTerms = { ...newTerms(), isChargedWhenLost };
    return store().transaction((tx) => gone.reserve(tx, work, terms));
  };
  const join = () => joinGateways({ store: store(), clock, log: SILENT, beatMs: 600_000 });

  /** Closes October. @returns what is wrong with its invoice, and the prices in it. */
  const invoice = async () => {
    await provedBut(store(), { fromMs: SEPTEMBER, untilMs: NOVEMBER });
    await close();
    await signHeads(store(), CLOSING + HOUR);
    const { problems, prices } = await verifyInvoice(store(), 'INV-000001');
    return { problems, prices: prices.map(describePrices) };
  };

  test('is charged at its own prices by one with higher ones, and the invoice is right', async () => {
    const [charged, released] = [await invoiced(), await invoiced()];
    await reserve(charged, true);
    await reserve(released, false);
    const gateway = await join();
    expect(await standing(store(), charged)).toEqual({ reserved: 0n, charged: RESERVED });
    expect(await standing(store(), released)).toEqual({ reserved: 0n, charged: 0n });
    await expectBalanced(store());
    expect(await invoice()).toEqual({
      problems: [],
      prices: [
        expect.stringMatching(/^wallet_creation: 0\.0009 USD, 0\.0004 USD above 10 units a month, for 15/),
      ],
    });
    await gateway.close();
  });

  test('before prices were kept is charged at those of the list, but no more than it reserved', async () => {
    const accountId = await invoiced();
    await reserve(accountId, true);
    await store()
      .db.update(reservations)
      .set({ standardPrice: null, volumePrice: null, volumeThreshold: null });
    const gateway = await join();
    const each = RESERVED / BigInt(UNITS);
    expect(await standing(store(), accountId)).toEqual({ reserved: 0n, charged: each * BigInt(UNITS) });
    await expectBalanced(store());
    expect(await invoice()).toMatchObject({ problems: [] });
    await gateway.close();
  });

  test('is settled although another reservation cannot be, which is logged at each try', async () => {
    const broken = await invoiced();
    const others = [await invoiced(), await invoiced()];
    await reserve(broken, true);
    // Its books have nothing reserved, so that the store refuses the charge.
    await takeReserved(store(), broken);
    for (const accountId of others) await reserve(accountId, true);
    const logged: string[] = [];
    const log = pino({ level: 'error' }, { write: (line) => void logged.push(line) });
    const gateway = await joinGateways({ store: store(), clock, log, beatMs: 20 });
    // Also where an assertion fails: it would settle the work of every file after this one.
    onTestFinished(() => gateway.close());
    for (const accountId of others)
      expect(await standing(store(), accountId)).toEqual({ reserved: 0n, charged: RESERVED });
    const [left] = await store().db.select().from(reservations).where(isNull(reservations.closedAt));
    expect(left).toMatchObject({ accountId: broken, charged: 0n });
    await eventually('a further try', () => logged.length > 1 || undefined);
    for (const line of logged)
      expect(JSON.parse(line)).toMatchObject({
        reservationId: left?.id,
        msg: expect.stringContaining('cannot settle'),
      });
  });

  test('keeps the key of its work as long as it cannot be settled: wallets may be stored yet', async () => {
    const accountId = await invoiced();
    const row = { accountId, key: 'k', fingerprint: Buffer.alloc(32), ownerId, createdAt: new Date(OCTOBER) };
    await store().db.insert(idempotencyKeys).values(row);
    const reservation = await reserve(accountId, false);
    await takeReserved(store(), accountId);
    const left = async (): Promise<readonly number[]> => [
      await settleAbandoned({ store: store(), log: SILENT }, OCTOBER),
      (await store().db.select().from(idempotencyKeys)).length,
    ];
    expect(await left()).toEqual([0, 1]);
    await store().db.delete(reservations).where(eq(reservations.id, reservation.id));
    expect(await left()).toEqual([0, 0]);
  });

  test('and settled itself, a moment before, leaves its key as it is: nothing of it counts as charged', async () => {
    const accountId = await invoiced();
    const [claimId, fingerprint, createdAt] = [randomUUID(), Buffer.alloc(32), new Date(OCTOBER)];
    const row = { accountId, key: 'k', fingerprint, ownerId, createdAt, claimId };
    await store().db.insert(idempotencyKeys).values(row);
    const work = { accountId, operation: 'wallet_creation', units: UNITS, nowMs: OCTOBER } as const;
    const terms: ReservationTerms = { ...newTerms(), isChargedWhenLost: true, claimId };
    const reserved = await store().transaction((tx) => gone.reserve(tx, work, terms));
    const { db } = store();
    const keys: unknown[] = [];
    const transaction: Store['transaction'] = async (run) => {
      await store().transaction((tx) => gone.settle(tx, reserved, 0, OCTOBER));
      const result = await store().transaction(run);
      keys.push(...(await db.select().from(idempotencyKeys)));
      return result;
    };
    await settleAbandoned({ store: { db, transaction } as Store, log: SILENT }, OCTOBER);
    expect(keys).toEqual([expect.objectContaining({ status: null, charged: null })]);
    expect(await standing(store(), accountId)).toEqual({ reserved: 0n, charged: 0n });
  });

  test('and what it charges later is refused: it learns if everything was charged', async () => {
    const accountId = await invoiced();
    const [charged, released] = [await reserve(accountId, true), await reserve(accountId, false)];
    expect(await settleAbandoned({ store: store(), log: SILENT }, OCTOBER)).toBe(2);
    for (const [reservation, code] of [
      [charged, 'reservationCharged'],
      [released, 'reservationClosed'],
    ] as const) {
      const late = store().transaction((tx) => gone.settle(tx, reservation, 1, OCTOBER));
      await expect(late).rejects.toMatchObject({ code });
    }
    expect(await standing(store(), accountId)).toEqual({ reserved: 0n, charged: RESERVED });
  });
});

describeStores('a store of the version before reservations had prices', (backend) => {
  test('has those of processes that are gone settled at the price list, or at less if less is reserved', async () => {
    const place = backend.place();
    const [listed, dearer] = [randomUUID(), randomUUID()];
    const leave = (accountId: string, amount: number) => [
      `insert into accounts (id, kind, name, created_at) values ('${accountId}', 'customer', '${accountId}', now())`,
      `insert into ledger_accounts (account_id, kind, balance, floor) values
        ('${accountId}', 'available', 0, 0), ('${accountId}', 'reserved', ${amount}, 0),
        ('${accountId}', 'revenue', 0, 0), ('${accountId}', 'funding', -${amount}, null)`,
      `insert into reservations (id, account_id, owner_id, operation, month, units, amount, created_at, is_charged_when_lost)
        values (gen_random_uuid(), '${accountId}', gen_random_uuid(), 'wallet_creation', '2025-10', 7, ${amount}, now(), true)`,
    ];
    const rows = [...leave(listed, 7_000), ...leave(dearer, 6_305)];
    await makeEarlier(place, { before: '0025_reserved_prices', rows });
    const store = await useStore(place);
    expect(await settleAbandoned({ store, log: SILENT }, OCTOBER)).toBe(2);
    expect(await standing(store, listed)).toEqual({ reserved: 0n, charged: 7_000n });
    expect(await standing(store, dearer)).toEqual({ reserved: 0n, charged: 6_300n });
    expect((await readBalance(store, dearer, OCTOBER)).available).toBe(5n);
  });
});

async function standing(store: Store, accountId: string) {
  const { reserved, charged } = await readBalance(store, accountId, OCTOBER);
  return { reserved, charged };
}

function takeReserved({ db }: Store, accountId: string): Promise<unknown> {
  return db.execute(
    sql`update ledger_accounts set balance = 0 where account_id = ${accountId}::uuid and kind = 'reserved'`,
  );
}
