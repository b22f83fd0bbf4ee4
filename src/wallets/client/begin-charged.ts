import type { KeyChunk, KeyChunks } from '../../keys/pool.ts';
import type { WalletContext } from '../wallet-context.ts';
import { type ChargedWork, chargedStream, reserve } from './charged-stream.ts';
import { type HeadStart, headStart } from './head-start.ts';

/**
 * Client wallets, charged for as they are read. The first of them are made while the store sets aside what they cost, which takes as
 * long, but not before the account was found to be able to pay.
 *
 * @throws ServiceError `balanceInsufficient`, `creditLimitReached`: what was made meanwhile is wiped.
 */
export async function beginCharged(
  context: WalletContext,
  work: ChargedWork,
  make: () => KeyChunks,
): Promise<KeyChunks> {
  let begun: HeadStart<KeyChunk> | undefined;
  const begin = (): HeadStart<KeyChunk> => (begun ??= headStart(make(), context.keys.drop));
  try {
    const reservation = await reserve(context, work, begin);
    return chargedStream(context, reservation, begin().steps);
  } catch (error) {
    void begun?.leave();
    throw error;
  }
}
