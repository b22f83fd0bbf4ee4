import type { Quote } from '../../account/money/money.ts';
import { settle } from '../charging/settle.ts';
import type { WalletContext } from '../wallet-context.ts';

/**
 * Charges for finished client wallets, all of them and before any is sent. On failure they are not handed out: their bytes are wiped, and
 * nothing is charged unless only PostgreSQL's answer was lost.
 *
 * @throws ServiceError `balanceInsufficient`, `creditLimitReached`, when the money was spent elsewhere meanwhile.
 */
export async function chargeMade(context: WalletContext, quote: Quote, bytes: Uint8Array): Promise<void> {
  const facts = [{ action: 'create', outcome: 'ok', units: quote.units }];
  try {
    await settle(context, { quotes: [quote], facts, answer: { charged: quote.units } });
  } catch (error) {
    context.keys.engine.wipe(bytes);
    throw error;
  }
}
