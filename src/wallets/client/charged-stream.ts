import { eq } from '../../store/drizzle.ts';
import type { Operation } from '../../account/money/prices.ts';
import type { Quote } from '../../account/money/money.ts';
import type { Reservation } from '../../account/money/reservation.ts';
import type { KeyChunk, KeyChunks } from '../../keys/pool.ts';
import { reservations } from '../../store/money-tables.ts';
import type { StoreTransaction } from '../../store/open-store.ts';
import { assertAffordable } from '../assert-affordable.ts';
import { audit, auditExpected, type WalletFact } from '../audit.ts';
import { transact, tryTogether } from '../transact.ts';
import type { WalletContext } from '../wallet-context.ts';

/** How long what was delivered may stay uncharged: what a process that is killed loses at most. */
const CHARGE_MS = 1_000;

export type ChargedWork = { readonly operation: Operation; readonly units: number };

/** Sets aside what wallets cost. @throws ServiceError `balanceInsufficient`, `creditLimitReached`. */
export async function reserve(context: WalletContext, work: ChargedWork): Promise<Reservation> {
  return setAside(context, await assertAffordable(context, work));
}

/** Sets aside what was quoted, or what it costs by now. @throws as `reserve`. */
export async function setAside(context: WalletContext, quote: Quote): Promise<Reservation> {
  const { money, clock } = context;
  const done = await tryTogether(context, (db) => [money.reserveQuoted(db, quote, clock.nowMs())]);
  if (done !== undefined) return done[0];
  const { accountId, operation, units } = quote;
  return transact(context, (tx) => money.reserve(tx, { accountId, operation, units, nowMs: clock.nowMs() }));
}

/**
 * Passes client wallets on and charges for those that its reader was given while the client was there: every second, and at the end,
 * before the stream ends cleanly. A part of the last ones may have reached a client that left, so that they are charged too; what
 * was not given is given back. The bytes are dropped when the reader asks for the next, or leaves.
 */
export async function* chargedStream(
  context: WalletContext,
  reservation: Reservation,
  chunks: AsyncIterable<KeyChunk>,
): KeyChunks {
  const { money, clock, claim, keys } = context;
  let [delivered, charged, chargedAtMs] = [0, 0, clock.nowMs()];
  let [isWhole, isCharging] = [false, false];
  try {
    for await (const chunk of chunks) {
      try {
        context.signal.throwIfAborted();
        delivered += chunk.count;
        yield chunk;
      } finally {
        keys.drop(chunk);
      }
      if (clock.nowMs() - chargedAtMs < CHARGE_MS) continue;
      const units = delivered - charged;
      isCharging = true;
      await transact(context, (tx) => money.charge(tx, reservation, units, clock.nowMs()));
      [charged, chargedAtMs] = [delivered, clock.nowMs()];
    }
    isWhole = true;
  } finally {
    try {
      await settleStream(context, reservation, { delivered, isWhole, isCharging });
      if (delivered === 0) await claim.leave();
    } finally {
      if (delivered === 0) claim.end();
    }
  }
}

type Delivery = {
  readonly delivered: number;
  readonly isWhole: boolean;
  /** Whether some of it was charged before, or may have been. */
  readonly isCharging: boolean;
};

/** What was delivered is done: its secrets were not kept, and the same request is not carried out again. */
function settleStream(
  context: WalletContext,
  reservation: Reservation,
  { delivered, isWhole, isCharging }: Delivery,
): Promise<void> {
  const { money, clock, claim, afterwards } = context;
  const outcome = isWhole ? 'ok' : 'interrupted';
  const facts = [{ action: 'create', outcome, units: delivered }];
  const isSimple = delivered > 0 && claim.workId === undefined && !isCharging;
  return afterwards(async () => {
    const isSettled = isSimple && (await settleTogether(context, reservation, { delivered, facts }));
    if (!isSettled) {
      await transact(context, async (tx) => {
        if (delivered > 0) await claim.finish(tx, undefined);
        const charged = isCharging ? await readCharged(tx, reservation) : 0;
        await money.settle(tx, reservation, delivered - charged, clock.nowMs());
        await audit(tx, context, facts);
      });
    }
    if (delivered > 0) claim.end();
  });
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

/** For how many units the store has charged: a charge whose answer was lost may have been committed. */
async function readCharged(tx: StoreTransaction, { id }: Reservation): Promise<number> {
  const [row] = await tx
    .select({ delivered: reservations.delivered })
    .from(reservations)
    .where(eq(reservations.id, id));
  return Number(row?.delivered ?? 0n);
}
