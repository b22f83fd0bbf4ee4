import { base58 } from '@scure/base';
import type { WalletSignature } from '../../../generated/wallets/types.ts';
import type { JsonAnswer, WalletHandler, WalletRequest } from '../../../generated/wallets/handlers.ts';
import { serviceError } from '../../service-error.ts';
import { assertAffordable } from '../assert-affordable.ts';
import { audit } from '../audit.ts';
import { findWallet, keyOf } from '../managed/wallet-row.ts';
import { readMessage } from '../managed/read-message.ts';
import { withSealedKeys } from '../managed/with-sealed-keys.ts';
import { transact } from '../transact.ts';
import type { WalletContext } from '../wallet-context.ts';

const WORK = { operation: 'managed_signing', units: 1 } as const;

/**
 * `POST /v1/wallets/{id}/sign` (interface.md section 4.4). The signature is verified against the address before it is charged and
 * answered: one that is wrong would give the key away or lose a transaction.
 */
export const signWithWallet: WalletHandler<WalletContext, 'signWithWallet'> = (context, request) =>
  withSealedKeys(context, () => sign(context, request));

async function sign(
  context: WalletContext,
  { id, body }: WalletRequest<'signWithWallet'>,
): Promise<JsonAnswer<WalletSignature>> {
  const { signer, keys, signal, claim, money, caller, clock } = context;
  const message = readMessage(body);
  const wallet = await findWallet(context, id);
  await assertAffordable(context, WORK);
  const signature = await signer.sign({ ...keyOf(wallet), message }, { signal });
  if (!keys.engine.verify(signature, message, wallet.publicKey)) {
    throw serviceError(
      'keyBackendFailed',
      {},
      new Error('the backend gave a signature that is not the wallet’s'),
    );
  }
  const { address } = wallet;
  const answer: WalletSignature = { wallet_id: id, address, signature: base58.encode(signature) };
  await transact(context, async (tx) => {
    await claim.finish(tx, Buffer.from(JSON.stringify(answer)));
    await money.chargeNow(tx, { ...WORK, accountId: caller.accountId, nowMs: clock.nowMs() });
    await audit(tx, context, [{ action: 'sign', outcome: 'ok', walletId: id }]);
  });
  return { kind: 'json', body: answer };
}
