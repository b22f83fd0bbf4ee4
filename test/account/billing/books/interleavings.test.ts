import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { credit } from '../../../../src/account/billing/books/credit.ts';
import { createMoney } from '../../../../src/account/billing/books/money.ts';
import type { Operation, PriceBook } from '../../../../src/account/billing/books/prices.ts';
import type { Reservation } from '../../../../src/account/billing/books/reservation.ts';
import { setTerms } from '../../../../src/account/billing/invoices/set-terms.ts';
import type { Store } from '../../../../src/store/open-store.ts';
import { ServiceError } from '../../../../src/core/service-error.ts';
import { describeStores } from '../../../store/backends.ts';
import { newCustomer, NOW_MS } from '../../new-customer.ts';
import { expectSoundBooks } from './books.ts';
import { rounds } from '../../../support/tier.ts';

/** The volume price begins early, so that short runs meet it. */
const PRICES: PriceBook = {
  volumeThreshold: 6n,
  prices: {
    wallet_creation: { standard: 1_000n, volume: 400n },
    hd_child_derivation: { standard: 500n, volume: 200n },
    managed_signing: { standard: 100n, volume: 40n },
    hd_master_creation: { standard: 0n, volume: 0n },
  },
};
/** Errors that hostile or unlucky callers get, the last one by delivering more than was reserved; any other is a defect. */
const EXPECTED = new Set([
  ...['balanceInsufficient', 'creditLimitReached', 'reservationClosed', 'internalError'],
  ...['creditNotAvailable', 'accountOwes'],
]);
const MONTH_MS = 31 * 86_400_000;

const operation = fc.constantFrom<Operation>('wallet_creation', 'managed_signing', 'hd_master_creation');
const units = fc.oneof(fc.nat({ max: 3 }), fc.nat({ max: 12 }));
const which = fc.nat({ max: 7 });
const isLater = fc.boolean();
const step = fc.oneof(
  fc.record({ kind: fc.constant('reserve' as const), operation, units, isLater }),
  fc.record({ kind: fc.constant('chargeNow' as const), operation, units, isLater }),
  fc.record({ kind: fc.constant('charge' as const), which, units }),
  fc.record({ kind: fc.constant('settle' as const), which, units }),
  fc.record({ kind: fc.constant('release' as const), which }),
  fc.record({ kind: fc.constant('credit' as const), amount: fc.bigInt({ min: -4_000n, max: 9_000n }) }),
  fc.record({ kind: fc.constant('limit' as const), limit: fc.bigInt({ min: 0n, max: 5_000n }) }),
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

describeStores('whatever is reserved, charged, settled, released and credited at once', (backend) => {
  const store = backend.shared();

  async function run(accountId: string, turns: readonly (readonly Step[])[]): Promise<void> {
    const money = createMoney({ ownerId: randomUUID(), prices: PRICES });
    const open: Reservation[] = [];
    for (const round of turns) {
      const known = [...open];
      const outcomes = await Promise.allSettled(
        round.map((one) => doStep(store(), { money, accountId, open, known }, one)),
      );
      const reasons = outcomes.flatMap((outcome) =>
        outcome.status === 'rejected' ? [outcome.reason as unknown] : [],
      );
      const surprises = reasons.filter(
        (reason) =>
          !(reason instanceof ServiceError) ||
          !EXPECTED.has(reason.code) ||
          (reason.code === 'internalError' && !(reason.cause instanceof RangeError)),
      );
      expect(surprises).toEqual([]);
    }
  }

  test('the books sum to zero, nothing is below its floor, and each unit is charged once at its price', async () => {
    const simultaneous = fc.array(fc.array(step, { minLength: 1, maxLength: 6 }), {
      minLength: 1,
      maxLength: 8,
    });
    await fc.assert(
      fc.asyncProperty(simultaneous, async (steps) => {
        await run(await newCustomer(store()), steps);
        await expectSoundBooks(store(), PRICES);
      }),
      { numRuns: rounds(25) },
    );
  });
});

type Place = {
  readonly money: ReturnType<typeof createMoney>;
  readonly accountId: string;
  readonly open: Reservation[];
  readonly known: readonly Reservation[];
};

async function doStep(
  { transaction }: Store,
  { money, accountId, open, known }: Place,
  one: Step,
): Promise<void> {
  const later = (isLater: boolean): number => NOW_MS + (isLater ? MONTH_MS : 0);
  const chosen = 'which' in one ? known[one.which % Math.max(known.length, 1)] : undefined;
  await transaction(async (tx) => {
    switch (one.kind) {
      case 'reserve': {
        const work = { accountId, operation: one.operation, units: one.units, nowMs: later(one.isLater) };
        open.push(await money.reserve(tx, work));
        return;
      }
      case 'chargeNow': {
        const work = { accountId, operation: one.operation, units: one.units, nowMs: later(one.isLater) };
        return void (await money.chargeNow(tx, work));
      }
      case 'charge':
      case 'settle':
        return chosen && void (await money[one.kind](tx, chosen, one.units, NOW_MS));
      case 'release':
        return chosen && void (await money.release(tx, chosen, NOW_MS));
      case 'credit':
        return credit(tx, { accountId, amount: one.amount, note: undefined, nowMs: NOW_MS });
      case 'limit':
        return setTerms(tx, {
          accountId,
          creditLimit: one.limit,
          nowMs: NOW_MS,
          mode: one.limit > 0n ? 'invoiced' : 'prepaid',
        });
    }
  });
}
