import { randomUUID } from 'node:crypto';
import type { Operation } from '../../account/money/prices.ts';
import type { Quote } from '../../account/money/money.ts';
import { newTerms, type Reservation, type ReservationTerms } from '../../account/money/reservation.ts';
import type { KeyChunk, KeyChunks } from '../../keys/pool.ts';
import { ServiceError } from '../../base/service-error.ts';
import { assertAffordable } from '../charging/assert-affordable.ts';
import { audit, auditExpected, type WalletFact } from '../audit.ts';
import { transact, tryTogether } from '../transact.ts';
import type { WalletContext } from '../wallet-context.ts';

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
    if (isError(error, 'storeUnavailable')) giveBack(context, { ...terms, accountId });
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

/**
 * Passes client wallets on and charges for those that its reader was given while the client was there: at the end, before the stream ends
 * cleanly. Some of them may not reach a client that leaves; what was not given is given back. The bytes are dropped when the reader asks
 * for the next, or leaves.
 */
export async function* chargedStream(
  context: WalletContext,
  reservation: Reservation,
  chunks: AsyncIterable<KeyChunk>,
): KeyChunks {
  const { claim } = context;
  let [delivered, isWhole] = [0, false];
  try {
    for await (const chunk of chunks) {
      try {
        context.signal.throwIfAborted();
        delivered += chunk.count;
        yield chunk;
      } finally {
        context.keys.drop(chunk);
      }
    }
    isWhole = true;
  } finally {
    try {
      await settleStream(context, reservation, { delivered, isWhole });
      if (delivered === 0) await claim.leave();
    } finally {
      if (delivered === 0) claim.end();
    }
  }
}

type Delivery = { readonly delivered: number; readonly isWhole: boolean };

/** What was delivered is done: its secrets were not kept, and the same request is not carried out again. */
function settleStream(
  context: WalletContext,
  reservation: Reservation,
  { delivered, isWhole }: Delivery,
): Promise<void> {
  const { money, clock, claim, afterwards } = context;
  const outcome = isWhole ? 'ok' : 'interrupted';
  const facts = [{ action: 'create', outcome, units: delivered }];
  const isSimple = delivered > 0 && claim.workId === undefined;
  return afterwards(async () => {
    try {
      const isSettled = isSimple && (await settleTogether(context, reservation, { delivered, facts }));
      if (isSettled) return;
      await transact(context, async (tx) => {
        if (delivered > 0) await claim.finish(tx, { charged: delivered });
        await money.settle(tx, reservation, delivered, clock.nowMs());
        await audit(tx, context, facts);
      });
      if (delivered > 0) claim.end();
    } catch (error) {
      // Settled already: by an earlier try whose answer was lost, or by a process that took this one for gone.
      if (isError(error, 'reservationClosed')) claim.end();
      throw error;
    }
  });
}

function isError(error: unknown, code: 'storeUnavailable' | 'reservationClosed'): boolean {
  return error instanceof ServiceError && error.code === code;
}

async function settleTogether(
  context: WalletContext,
  reservation: Reservation,
  { delivered, facts }: Pick<Delivery, 'delivered'> & { readonly facts: readonly WalletFact[] },
): Promise<boolean> {
  const { money, clock } = context;
  const settled = await tryTogether(context, (db) => [
    money.settleExpected(db, reservation, delivered, clock.nowMs()),
    auditExpected(db, context, facts),
  ]);
  return settled !== undefined;
}
