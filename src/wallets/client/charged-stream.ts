import type { Reservation } from '../../account/money/reservation.ts';
import type { KeyChunk, KeyChunks } from '../../keys/pool.ts';
import { ServiceError } from '../../base/service-error.ts';
import { isOutage } from '../retry-until-settled.ts';
import { audit, auditExpected, charging, type WalletFact } from '../audit.ts';
import { transact, tryTogether } from '../transact.ts';
import type { WalletContext } from '../wallet-context.ts';

/**
 * Passes client wallets on and charges for those that its reader received while the client was connected: at the end, before the stream
 * ends cleanly. Some of them may not reach a client that leaves; the cost of the others is given back. The bytes are dropped when the
 * reader asks for the next chunk, or leaves.
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
    } finally {
      if (delivered === 0) await claim.release().finally(claim.end);
    }
  }
}

type Delivery = { readonly delivered: number; readonly isWhole: boolean };

/** Delivered work is done: its secrets were not kept, and the same request is not carried out again. */
function settleStream(
  context: WalletContext,
  reservation: Reservation,
  { delivered, isWhole }: Delivery,
): Promise<void> {
  const { money, clock, claim, retryUntilSettled } = context;
  const outcome = isWhole ? 'ok' : 'interrupted';
  const facts = [{ action: 'create', outcome, units: delivered }];
  const isSimple = delivered > 0 && claim.workId === undefined;
  const settle = (isClaimed: boolean): Promise<void> =>
    transact(context, async (tx) => {
      if (isClaimed) await claim.finish(tx, { charged: delivered });
      const receipt = await money.settle(tx, reservation, delivered, clock.nowMs());
      await audit(tx, context, charging(facts, [receipt.charge]));
    });
  return retryUntilSettled(async () => {
    try {
      const isSettled = isSimple && (await settleTogether(context, reservation, { delivered, facts }));
      if (isSettled) return;
      await settle(delivered > 0).catch((error: unknown) => {
        // Its key was given to another request, by a process that took this one for gone: what was delivered is charged all the same.
        if (isClosed(error)) return settle(false);
        throw error;
      });
      if (delivered > 0) claim.end();
    } catch (error) {
      // Not tried again: settled by an earlier try whose answer was lost, or by a process that took this one for gone; or it cannot be.
      if (!isOutage(error)) claim.end();
      throw error;
    }
  });
}

function isClosed(error: unknown): boolean {
  return error instanceof ServiceError && error.code === 'reservationClosed';
}

async function settleTogether(
  context: WalletContext,
  reservation: Reservation,
  { delivered, facts }: Pick<Delivery, 'delivered'> & { readonly facts: readonly WalletFact[] },
): Promise<boolean> {
  const { money, clock } = context;
  const settled = await tryTogether(context, (db) => [
    money.settleExpected(db, reservation, delivered, clock.nowMs()),
    auditExpected(db, context, charging(facts, [money.expectedCharge(reservation, delivered)])),
  ]);
  return settled !== undefined;
}
