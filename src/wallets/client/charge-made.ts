import type { Quote } from '../../account/money/money.ts';
import { settle } from '../charging/settle.ts';
import type { WalletContext } from '../wallet-context.ts';

/**
 * Charges for client wallets that are made, all of them and before any leaves. Where that fails they are not handed out: their bytes are
 * wiped, and nothing is charged unless it was only PostgreSQL's answer that was lost.
 *
 * @throws ServiceError `balanceInsufficient`, `creditLimitReached`, where the money went to something else meanwhile.
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
