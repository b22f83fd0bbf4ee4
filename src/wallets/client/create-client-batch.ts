import type { StreamAnswer } from '../../../runtime/rest-operation.ts';
import type { BatchRequest } from '../create-requests.ts';
import type { WalletContext } from '../wallet-context.ts';
import { beginCharged } from './begin-charged.ts';

/** Creates wallets as they are read, and stores none of them. @throws ServiceError `balanceInsufficient`, `creditLimitReached`. */
export async function createClientBatch(
  context: WalletContext,
  { count: wanted, mnemonic_words: mnemonicWords, passphrase, format }: BatchRequest,
): Promise<StreamAnswer> {
  const { keys, signal, clock, claim } = context;
  const count =
    claim.replacement === undefined ? wanted : claim.replacement.charged - claim.replacement.received;
  const createdAt = new Date(clock.nowMs());
  const make = () => keys.batch({ count, format, mnemonicWords, passphrase, createdAt }, signal);
  const chunks = await beginCharged(context, { operation: 'wallet_creation', units: count }, make);
  return { kind: 'stream', form: format, count, chunks };
}
