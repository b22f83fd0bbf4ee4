import type { KeyChunks } from '../../keys/pool.ts';
import { assertAffordable } from '../assert-affordable.ts';
import type { WalletContext } from '../wallet-context.ts';
import { type ChargedWork, chargedStream, setAside } from './charged-stream.ts';
import { headStart } from './head-start.ts';

/**
 * Client wallets, charged for as they are read. The first of them are made while the store sets aside what they cost, which takes as
 * long, but not before the account was found to be able to pay. The stream is under way when this resolves: it must be read, be it
 * to leave it.
 *
 * @throws ServiceError `balanceInsufficient`, `creditLimitReached`: what was made meanwhile is dropped.
 */
export async function beginCharged(
  context: WalletContext,
  work: ChargedWork,
  make: () => KeyChunks,
): Promise<KeyChunks> {
  const quote = await assertAffordable(context, work);
  const made = headStart(make(), context.keys.drop);
  try {
    return chargedStream(context, await setAside(context, quote), made.steps);
  } catch (error) {
    void made.leave();
    throw error;
  }
}
