import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { appendAudit } from '../../../../src/account/audit/append-audit.ts';
import { closeMonth } from '../../../../src/account/billing/invoices/close-month.ts';
import { thresholdsToCross, termsToReview } from '../../../../src/account/billing/invoices/run-billing.ts';
import { issueCreditNote } from '../../../../src/account/billing/invoices/issue-credit-note.ts';
import { listInvoices } from '../../../../src/account/billing/invoices/read-invoices.ts';
import { readStatements } from '../../../../src/account/billing/invoices/read-statements.ts';
import { setTerms } from '../../../../src/account/billing/invoices/set-terms.ts';
import { settleAbandoned } from '../../../../src/account/processes/gateway.ts';
import { readBalance } from '../../../../src/account/billing/books/balance.ts';
import { credit } from '../../../../src/account/billing/books/credit.ts';
import { createMoney } from '../../../../src/account/billing/books/money.ts';
import type { Operation } from '../../../../src/account/billing/books/prices.ts';
import { newTerms, type Reservation } from '../../../../src/account/billing/books/reservation.ts';
import { sumWalletUsage } from '../../../../src/account/usage/sum-wallet-usage.ts';
import { ServiceError } from '../../../../src/core/service-error.ts';
import { monthsLater, utcMonth } from '../../../../src/core/utc-month.ts';
import { closedMonths, invoices, serviceMinutes } from '../../../../src/store/billing-tables.ts';
import { eq, sql } from '../../../../src/store/drizzle.ts';
import type { Store } from '../../../../src/store/open-store.ts';
import { accounts } from '../../../../src/store/tables.ts';
import { describeStores, SILENT } from '../../../store/backends.ts';
import { rounds } from '../../../support/tier.ts';
import { newCustomer } from '../../new-customer.ts';
import { expectBalanced } from '../books/books.ts';
import { runRound } from './run-round.ts';
import { closeAll, provedBut, signHeads, TEXTS, verifyInvoice } from './billed-account.ts';

const START = Date.UTC(2025, 0, 1);
const HOUR = 3_600_000;
const USD = 1_000_000n;
/** Errors that unlucky callers get; any other is a defect. */
const EXPECTED = new Set([
  ...['balanceInsufficient', 'creditLimitReached', 'creditNotAvailable', 'accountOwes'],
  ...['creditNoteTooHigh', 'reservationClosed', 'invoiceNotFound'],
]);

const operation = fc.constantFrom<Operation>(
  'wallet_creation',
  'managed_signing',
  'hd_child_derivation',
  'hd_master_creation',
);
const units = fc.oneof(fc.nat({ max: 50 }), fc.nat({ max: 1_600_000 }));
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('charge' as const), operation, units }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('reserve' as const), operation, units }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('settle' as const), share: fc.nat({ max: 4 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('lose' as const) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('deposit' as const),
      amount: fc.bigInt({ min: -300n, max: 2_000n }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('terms' as const),
      mode: fc.constantFrom('by_volume' as const, 'invoiced' as const, 'prepaid' as const),
      limit: fc.bigInt({ min: 1n, max: 5_000n }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('note' as const),
      which: fc.nat({ max: 3 }),
      amount: fc.bigInt({ min: 1n, max: 900n }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('crash' as const) }) },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('month' as const), downHours: fc.constantFrom(0, 0, 1, 9, 80) }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

/** An account, the time, and work that is under way. */
type World = { readonly accountId: string; nowMs: number; readonly open: Reservation[] };

describeStores('the books of an account over months', (backend) => {
  const store = backend.emptied();

  test('balance, are what the signed records say, and each month has what is its', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40 }), async (steps) => {
        await store().db.delete(serviceMinutes);
        await provedBut(store(), { fromMs: START - 24 * HOUR, untilMs: START });
        const accountId = await newCustomer(store());
        await store()
          .db.update(accounts)
          .set({ createdAt: new Date(START) })
          .where(eq(accounts.id, accountId));
        const world: World = { accountId, nowMs: START + HOUR, open: [] };
        for (const one of [...steps, { kind: 'lose' }, { kind: 'month', downHours: 1 }] as readonly Step[]) {
          world.nowMs += 60_000;
          await doStep(store(), world, one).catch(passExpected);
          await expectBalanced(store());
        }
        await expectBilled(store(), world);
      }),
      // PostgreSQL writes each of some thousand statements to the disk.
      { numRuns: rounds(backend.kind === 'pglite' ? 12 : 4) },
    );
  }, 900_000);
});

async function doStep(store: Store, world: World, one: Step): Promise<void> {
  const { accountId, nowMs, open } = world;
  const money = createMoney({ ownerId: randomUUID() });
  switch (one.kind) {
    case 'charge':
      return store.transaction(async (tx) => {
        const { charge } = await money.chargeNow(tx, {
          accountId,
          operation: one.operation,
          units: one.units,
          nowMs,
        });
        await record(tx, world, charge);
      });
    case 'reserve': {
      const work = { accountId, operation: one.operation, units: one.units, nowMs };
      const terms = { ...newTerms(), isChargedWhenLost: one.units % 2 === 0 };
      open.push(await store.transaction((tx) => money.reserve(tx, work, terms)));
      return;
    }
    case 'settle': {
      const reservation = open.shift();
      if (reservation === undefined) return;
      const delivered = Math.floor((reservation.units * one.share) / 4);
      return store.transaction(async (tx) => {
        const { charge } = await money.settle(tx, reservation, delivered, nowMs);
        await record(tx, world, charge);
      });
    }
    case 'lose':
      open.length = 0;
      return void (await settleAbandoned({ store, log: SILENT }, nowMs));
    case 'deposit':
      return store.transaction((tx) =>
        credit(tx, { accountId, amount: one.amount * USD, note: undefined, nowMs }),
      );
    case 'terms': {
      const creditLimit = one.mode === 'prepaid' ? 0n : one.limit * USD;
      return store.transaction((tx) => setTerms(tx, { accountId, mode: one.mode, creditLimit, nowMs }));
    }
    case 'note': {
      const issued = await listInvoices(store.db, { accountId, limit: 4 });
      const invoiceNumber = issued[one.which % Math.max(issued.length, 1)]?.number ?? 'INV-000000';
      const wanted = {
        invoiceNumber,
        amount: one.amount * USD,
        reason: 'a test',
        reference: randomUUID(),
        nowMs,
      };
      return void (await store.transaction((tx) => issueCreditNote(tx, wanted)));
    }
    case 'crash':
      return crashWhileClosing(store, world);
    case 'month': {
      const month = utcMonth(nowMs);
      const next = Date.parse(`${monthsLater(month, 1)}-01T00:00:00Z`);
      const startMs = Date.parse(`${month}-01T00:00:00Z`);
      const down = { fromMs: startMs + 30 * HOUR, untilMs: startMs + (30 + one.downHours) * HOUR };
      await provedBut(store, { fromMs: startMs, untilMs: next }, down);
      await runRound(thresholdsToCross(store), nowMs);
      world.nowMs = next + HOUR;
      await closeAll(store, world.nowMs);
      await runRound(termsToReview(store), world.nowMs);
      return;
    }
  }
}

/** The process ends when everything of a month is written, and nothing is committed. */
async function crashWhileClosing(store: Store, { accountId, nowMs }: World): Promise<void> {
  const month = monthsLater(utcMonth(nowMs), -1);
  const crash = new Error('the process has ended');
  const closing = store.transaction(async (tx) => {
    await closeMonth(tx, TEXTS, { accountId, month, nowMs });
    throw crash;
  });
  await expect(closing).rejects.toBe(crash);
}

type Tx = Parameters<Parameters<Store['transaction']>[0]>[0];
type Charge = NonNullable<Parameters<typeof appendAudit>[2][number]['charges']>[number];

async function record(tx: Tx, { accountId, nowMs }: World, charge: Charge | undefined): Promise<void> {
  if (charge === undefined) return;
  const fact = { action: 'sign', outcome: 'ok', requestId: 'req_1', charges: [charge] };
  await appendAudit(tx, accountId, [fact], nowMs);
}

/** Holds invoices, statements and the log to the books. */
async function expectBilled(store: Store, { accountId, nowMs }: World): Promise<void> {
  const { balance, reserved, charged } = await readBalance(store, accountId, nowMs);
  const { rows } = await store.db.execute<{ readonly total: string }>(sql`
    select coalesce(sum((c ->> 3)::bigint), 0) as total
    from audit_records r, jsonb_array_elements(r.charges::jsonb) c where r.account_id = ${accountId}`);
  expect(BigInt(rows[0]?.total ?? 0)).toBe(charged);

  await signHeads(store, nowMs);
  const issued = await listInvoices(store.db, { accountId, limit: 1_000 });
  for (const { number } of issued) expect((await verifyInvoice(store, number)).problems).toEqual([]);
  const numbers = await store.db.select({ number: invoices.number }).from(invoices).orderBy(invoices.number);
  expect(numbers.map(({ number }) => number)).toEqual(numbers.map((_, index) => index + 1));

  const closed = await store.db.select().from(closedMonths).where(eq(closedMonths.accountId, accountId));
  const counted = await store.db.execute<{ readonly month: string; readonly amount: string }>(
    sql`select month, sum(amount) as amount from operation_counts where account_id = ${accountId} group by 1`,
  );
  const amounts = new Map(counted.rows.map((row) => [row.month, BigInt(row.amount)]));
  expect(new Map(closed.map((row) => [row.month, row.charged]))).toEqual(
    new Map([...amounts].filter(([month]) => month < utcMonth(nowMs))),
  );
  const owed = issued.reduce((sum, { outstanding }) => sum + outstanding, 0n);
  const open = amounts.get(utcMonth(nowMs)) ?? 0n;
  const debt = -(balance + reserved) - open;
  expect(owed).toBe(debt > 0n ? debt : 0n);

  while (await sumWalletUsage(store, nowMs + 48 * HOUR));
  const statements = await readStatements(store, { accountId, createdAt: new Date(START), nowMs });
  expect(statements[0]?.closing).toBe(balance + reserved);
  for (const [index, statement] of statements.entries())
    expect(statement.opening).toBe(statements[index + 1]?.closing ?? 0n);
}

function passExpected(error: unknown): void {
  if (!(error instanceof ServiceError) || !EXPECTED.has(error.code)) throw error;
}
