import { randomUUID } from 'node:crypto';
import type { Operation } from '../../account/money/prices.ts';
import type { Quote } from '../../account/money/money.ts';
import { newTerms, type Reservation, type ReservationTerms } from '../../account/money/reservation.ts';
import { ServiceError } from '../../base/service-error.ts';
import { transact, tryTogether } from '../transact.ts';
import type { WalletContext } from '../wallet-context.ts';
import { assertAffordable } from './assert-affordable.ts';

export type ChargedWork = { readonly operation: Operation; readonly units: number };

/** Sets aside what managed wallets cost, of which none is delivered before it is charged. @throws as `setAside`. */
export async function reserve(context: WalletContext, work: ChargedWork): Promise<Reservation> {
  return setAside(context, await assertAffordable(context, work), newTerms());
}

/**
 * Sets aside what was quoted for client wallets, or what it costs by now. They are delivered before they are charged: where the process
 * ends first, all of them are charged.
 *
 * @throws ServiceError `balanceInsufficient`, `creditLimitReached`.
 */
export function reserveQuoted(context: WalletContext, quote: Quote): Promise<Reservation> {
  const { claim } = context;
  return setAside(context, quote, {
    ...{ id: randomUUID(), isChargedWhenLost: true },
    claimId: claim.id ?? null,
  });
}

async function setAside(context: WalletContext, quote: Quote, terms: ReservationTerms): Promise<Reservation> {
  const { money, clock } = context;
  const { accountId, operation, units } = quote;
  try {
    const done = await tryTogether(context, (db) => [money.reserveQuoted(db, quote, clock.nowMs(), terms)]);
    if (done !== undefined) return done[0];
    const work = { accountId, operation, units, nowMs: clock.nowMs() };
    return await transact(context, (tx) => money.reserve(tx, work, terms));
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'storeUnavailable')
      giveBack(context, { ...terms, accountId });
    throw error;
  }
}

/** Where PostgreSQL's answer was lost the money may be set aside, for work that is not begun. */
function giveBack(
  { afterwards, money, clock, ...context }: WalletContext,
  reservation: Pick<Reservation, 'id' | 'accountId'>,
): void {
  const work = () =>
    transact(context, async (tx) => void (await money.release(tx, reservation, clock.nowMs())));
  // What fails for good is logged where it is tried again; what was set aside is then settled when the process ends.
  afterwards(work).catch(() => undefined);
}
