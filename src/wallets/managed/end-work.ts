import type { Reservation } from '../../account/billing/books/reservation.ts';
import { transact } from '../transact.ts';
import type { WalletContext } from '../wallet-context.ts';

/**
 * Ends work on managed wallets. If it is unfinished, the uncharged rest of the reservation is given back and the key of the request
 * released; finished work has settled both with its last wallets.
 */
export async function endWork(
  context: WalletContext,
  reservation: Reservation,
  isDone: boolean,
): Promise<void> {
  const { money, clock, claim, retryUntilSettled } = context;
  try {
    if (isDone) return;
    try {
      await retryUntilSettled(() =>
        transact(context, async (tx) => void (await money.release(tx, reservation, clock.nowMs()))),
      );
    } finally {
      await claim.release();
    }
  } finally {
    claim.end();
  }
}
