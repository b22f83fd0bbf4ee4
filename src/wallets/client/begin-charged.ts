import type { KeyChunks } from '../../keys/pool.ts';
import { assertAffordable } from '../charging/assert-affordable.ts';
import type { WalletContext } from '../wallet-context.ts';
import { type ChargedWork, reserveQuoted } from '../charging/reserve.ts';
import { chargedStream } from './charged-stream.ts';
import { headStart } from './head-start.ts';
import { madeAgain } from './made-again.ts';

/**
 * Client wallets, charged for as they are read. The first of them are made while the store sets aside what they cost, which takes as
 * long, but not before the account was found to be able to pay. The stream is under way when this resolves: it must be read, be it
 * to leave it. What was charged before is made again without a charge.
 *
 * @throws ServiceError `balanceInsufficient`, `creditLimitReached`: what was made meanwhile is dropped.
 */
export async function beginCharged(
  context: WalletContext,
  work: ChargedWork,
  make: () => KeyChunks,
): Promise<KeyChunks> {
  if (context.claim.again !== undefined) return madeAgain(context, make());
  const quote = await assertAffordable(context, work);
  const made = headStart(make(), context.keys.drop);
  try {
    return chargedStream(context, await reserveQuoted(context, quote), made.steps);
  } catch (error) {
    void made.leave();
    throw error;
  }
}
