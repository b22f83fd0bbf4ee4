import type { KeyChunks } from '../../keys/pool.ts';
import { assertAffordable } from '../charging/assert-affordable.ts';
import type { WalletContext } from '../wallet-context.ts';
import { type ChargedWork, reserveQuoted } from '../charging/reserve.ts';
import { chargedStream } from './charged-stream.ts';
import { prefetch } from './prefetch.ts';
import { replacementStream } from './replacement-stream.ts';

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
  const quote = await assertAffordable(context, work);
  const made = prefetch(make(), context.keys.drop);
  try {
    return chargedStream(context, await reserveQuoted(context, quote), made.steps);
  } catch (error) {
    void made.release();
    throw error;
  }
}
