import { base58 } from '@scure/base';
import type { WalletSignature } from '../../../generated/wallets/types.ts';
import type { WalletHandler, WalletRequest } from '../../../generated/wallets/handlers.ts';
import type { JsonAnswer } from '../../../runtime/rest-operation.ts';
import { serviceError } from '../../core/service-error.ts';
import { assertQuoted, quoteOf } from '../charging/assert-affordable.ts';
import { assertFound, selectWallet } from '../managed/find-wallet.ts';
import { keyOf } from '../wallet-row.ts';
import { readMessage } from '../managed/read-message.ts';
import { withSealedKeys } from '../managed/with-sealed-keys.ts';
import { settle } from '../charging/settle.ts';
import { batched } from '../transact.ts';
import type { WalletContext } from '../wallet-context.ts';

const WORK = { operation: 'managed_signing', units: 1 } as const;

/**
 * `POST /v1/wallets/{id}/sign` (interface.md section 4.4). The signature is verified against the address before it is charged and answered:
 * a wrong one would give the key away or lose a transaction.
 */
export const signWithWallet: WalletHandler<WalletContext, 'signWithWallet'> = (context, request) =>
  withSealedKeys(context, () => sign(context, request));

async function sign(
  context: WalletContext,
  { id, body }: WalletRequest<'signWithWallet'>,
): Promise<JsonAnswer<WalletSignature>> {
  const { signer, keys, signal, caller } = context;
  const message = readMessage(body);
  const [rows, asked] = await batched(context, (db) => [
    selectWallet(db, { id, accountId: caller.accountId }),
    quoteOf(context, db, WORK),
  ]);
  const wallet = await assertFound(context, rows);
  const quote = await assertQuoted(context, asked);
  const signature = await signer.sign({ ...keyOf(wallet), message }, { signal });
  if (!keys.engine.verify(signature, message, wallet.publicKey)) {
    throw serviceError(
      'keyBackendFailed',
      {},
      new Error('the key backend returned a signature that does not match the wallet'),
    );
  }
  const { address } = wallet;
  const answer: WalletSignature = { wallet_id: id, address, signature: base58.encode(signature) };
  await settle(context, {
    quotes: [quote],
    facts: [{ action: 'sign', outcome: 'ok', walletId: id }],
    answer: Buffer.from(JSON.stringify(answer)),
  });
  return { kind: 'json', body: answer };
}
