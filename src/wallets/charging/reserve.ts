import { randomUUID } from 'node:crypto';
import type { Operation } from '../../account/billing/books/prices.ts';
import type { Quote } from '../../account/billing/books/money.ts';
import {
  newTerms,
  type Reservation,
  type ReservationTerms,
} from '../../account/billing/books/reservation.ts';
import { ServiceError } from '../../core/service-error.ts';
import { transact } from '../transact.ts';
import type { WalletContext } from '../wallet-context.ts';
import { assertSufficientBalance } from './assert-affordable.ts';
import { transactCharge } from './pay-later.ts';

export type ChargedWork = { readonly operation: Operation; readonly units: number };

/** Reserves the cost of managed wallets, none of which is delivered before it is charged. @throws as `setAside`. */
export async function reserve(context: WalletContext, work: ChargedWork): Promise<Reservation> {
  return setAside(context, await assertSufficientBalance(context, work), newTerms());
}

/**
 * Reserves the quoted or current cost of client wallets. They are delivered before they are charged: if the process ends first, all of them
 * are charged.
 *
 * @throws ServiceError `balanceInsufficient`, `creditLimitReached`.
 */
export function reserveQuoted(context: WalletContext, quote: Quote): Promise<Reservation> {
  const { claim } = context;
  return setAside(context, quote, {
    id: randomUUID(),
    isChargedWhenLost: true,
    claimId: claim.id ?? null,
  });
}

async function setAside(context: WalletContext, quote: Quote, terms: ReservationTerms): Promise<Reservation> {
  const { money, clock } = context;
  const { accountId, operation, units } = quote;
  try {
    const work = { accountId, operation, units, nowMs: clock.nowMs() };
    return await transactCharge(context, (tx) => money.reserve(tx, work, terms));
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'storeUnavailable')
      giveBack(context, { ...terms, accountId });
    throw error;
  }
}

/** If PostgreSQL's answer was lost, money may be reserved for work that never begins. */
function giveBack(
  { retryUntilSettled, money, clock, ...context }: WalletContext,
  reservation: Pick<Reservation, 'id' | 'accountId'>,
): void {
  const work = () =>
    transact(context, async (tx) => void (await money.release(tx, reservation, clock.nowMs())));
  // A final failure is logged by the retry; the reservation is then settled when the process ends.
  retryUntilSettled(work).catch(() => undefined);
}
