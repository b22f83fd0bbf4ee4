import type { Reservation } from '../../account/money/reservation.ts';
import type { KeyChunk } from '../../keys/pool.ts';
import { audit } from '../audit.ts';
import { transact } from '../transact.ts';
import type { WalletContext } from '../wallet-context.ts';

/**
 * Client wallets as one answer, charged when all of them are made and before any leaves; where that fails nothing is charged. What
 * the answer is made of is wiped as it is read.
 */
export async function chargedWhole(
  context: WalletContext,
  reservation: Reservation,
  chunks: AsyncIterable<KeyChunk>,
): Promise<Uint8Array> {
  const { money, clock, afterwards } = context;
  try {
    const bytes = await joined(context, chunks);
    await settle(context, reservation, bytes);
    return bytes;
  } catch (error) {
    await afterwards(() =>
      transact(context, async (tx) => void (await money.release(tx, reservation, clock.nowMs()))),
    );
    throw error;
  }
}

async function settle(context: WalletContext, reservation: Reservation, bytes: Buffer): Promise<void> {
  const { money, clock, claim, keys } = context;
  const { units } = reservation;
  try {
    await transact(context, async (tx) => {
      await claim.finish(tx, undefined);
      await money.settle(tx, reservation, units, clock.nowMs());
      await audit(tx, context, [{ action: 'create', outcome: 'ok', units }]);
    });
  } catch (error) {
    keys.engine.wipe(bytes);
    throw error;
  }
}

async function joined({ keys }: WalletContext, chunks: AsyncIterable<KeyChunk>): Promise<Buffer> {
  const parts: Buffer[] = [];
  try {
    for await (const { bytes } of chunks) parts.push(bytes);
    return Buffer.concat(parts);
  } finally {
    keys.engine.wipe(...parts);
  }
}
