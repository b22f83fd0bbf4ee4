import type { Reservation } from '../../account/money/reservation.ts';
import { transact } from '../transact.ts';
import type { WalletContext } from '../wallet-context.ts';

/** Ends work on managed wallets, whole or not: what was set aside and not charged goes back, and the key of the request too. */
export async function leaveWork(context: WalletContext, reservation: Reservation): Promise<void> {
  const { money, clock, claim, afterwards } = context;
  try {
    await afterwards(() =>
      transact(context, async (tx) => void (await money.release(tx, reservation, clock.nowMs()))),
    );
    await claim.leave();
  } finally {
    claim.end();
  }
}
