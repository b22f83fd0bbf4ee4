import type { KeyChunks, KeyChunk } from '../../core/keys/pool.ts';
import { assertSufficientBalance } from '../charging/assert-affordable.ts';
import type { WalletContext } from '../wallet-context.ts';
import { type ChargedWork, reserveQuoted } from '../charging/reserve.ts';
import { assertNotRevoked } from '../assert-not-revoked.ts';
import type { Reservation } from '../../account/billing/books/reservation.ts';
import { ServiceError } from '../../core/service-error.ts';
import { isOutage } from '../retry-until-settled.ts';
import { audit, charging } from '../audit.ts';
import { transact } from '../transact.ts';

/**
 * Returns client wallets, charged for as they are read. The first are made while the store reserves their cost, which takes as long, but
 * only once the account is known to be able to pay. The stream is running when this resolves: read it, or leave it. Wallets that were
 * charged before are made again without a charge.
 *
 * @throws ServiceError `balanceInsufficient`, `creditLimitReached`: wallets made meanwhile are dropped.
 */
export async function beginCharged(
  context: WalletContext,
  work: ChargedWork,
  make: () => KeyChunks,
): Promise<KeyChunks> {
  if (context.claim.replacement !== undefined) return replacementStream(context, make());
  const quote = await assertSufficientBalance(context, work);
  const made = prefetch(make(), context.keys.drop);
  try {
    return chargedStream(context, await reserveQuoted(context, quote), made.steps);
  } catch (error) {
    void made.release();
    throw error;
  }
}

/**
 * Passes on client wallets that were charged for before. Once the reader has received one, they are not made another time. The bytes are
 * dropped when the reader asks for the next chunk, or leaves.
 *
 * @throws ServiceError `tokenRevoked` between two chunks.
 */
export async function* replacementStream(context: WalletContext, chunks: AsyncIterable<KeyChunk>): KeyChunks {
  const { claim, signal, keys } = context;
  let isDelivered = false;
  try {
    for await (const chunk of chunks) {
      try {
        signal.throwIfAborted();
        assertNotRevoked(context);
        isDelivered ||= chunk.count > 0;
        yield chunk;
      } finally {
        keys.drop(chunk);
      }
    }
  } finally {
    try {
      if (!isDelivered) await claim.release();
    } finally {
      claim.end();
    }
  }
}

/** A stream that works on its first step before anybody reads it. Read its steps, or leave it. */
type Prefetched<T> = {
  readonly steps: AsyncGenerator<T, void, undefined>;
  /** Ends an unread stream; resolves when it has stopped, whatever the result of its first step. */
  readonly release: () => Promise<void>;
};

/** Begins the first step of a stream; `drop` gets its result if nobody reads it. A failure is thrown to the reader. */
export function prefetch<T>(
  stream: AsyncGenerator<T, void, undefined>,
  drop: (value: T) => void,
): Prefetched<T> {
  const first = stream.next();
  first.catch(() => undefined);
  return {
    steps: goOn(first, stream),
    release: async () => {
      try {
        const step = await first.catch(() => undefined);
        if (step?.done === false) drop(step.value);
      } finally {
        await stream.return();
      }
    },
  };
}

async function* goOn<T>(
  first: Promise<IteratorResult<T, void>>,
  stream: AsyncGenerator<T, void, undefined>,
): AsyncGenerator<T, void, undefined> {
  try {
    for (let step = await first; step.done !== true; step = await stream.next()) yield step.value;
  } finally {
    await stream.return();
  }
}

/**
 * Passes client wallets on and charges for those that its reader received while the client was connected: at the end, before the stream
 * ends cleanly. Some of them may not reach a client that disconnects; the cost of the rest is given back. The bytes are dropped when the
 * reader asks for the next chunk, or leaves.
 *
 * @throws ServiceError `tokenRevoked` between two chunks: what was passed on before is charged.
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
        assertNotRevoked(context);
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
  const settle = (isClaimed: boolean): Promise<void> =>
    transact(context, async (tx) => {
      if (isClaimed) await claim.finish(tx, { charged: delivered });
      const receipt = await money.settle(tx, reservation, delivered, clock.nowMs());
      await audit(tx, context, charging(facts, [receipt.charge]));
    });
  return retryUntilSettled(async () => {
    try {
      await settle(delivered > 0).catch((error: unknown) => {
        // Another process assumed that this one was gone and gave the key to another request: delivered wallets are charged all the same.
        if (isClosed(error)) return settle(false);
        throw error;
      });
      if (delivered > 0) claim.end();
    } catch (error) {
      // Not retried: settled by an earlier try whose answer was lost, or by a process that assumed this one was gone; or it cannot succeed.
      if (!isOutage(error)) claim.end();
      throw error;
    }
  });
}

function isClosed(error: unknown): boolean {
  return error instanceof ServiceError && error.code === 'reservationClosed';
}
