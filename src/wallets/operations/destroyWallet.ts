import type { WalletHandler } from '../../../generated/wallets/handlers.ts';
import { serviceError, toServiceError } from '../../core/service-error.ts';
import { assertNotRevoked } from '../assert-not-revoked.ts';
import { audit, auditInOwnTransaction } from '../audit.ts';
import { assertSecondFactor, readSecondFactor } from '../managed/assert-second-factor.ts';
import { derivedFrom, deleteWallets, findDestroyed } from '../managed/destroyed-rows.ts';
import { selectUnfinished } from '../managed/find-wallet.ts';
import type { WalletRow } from '../wallet-row.ts';
import { batched, transact } from '../transact.ts';
import type { WalletContext } from '../wallet-context.ts';

type Destruction = {
  readonly at: Date;
  /** False if another request, or a server at its start, deleted and recorded the row in the meantime. */
  readonly isRecorded: boolean;
};

/**
 * `DELETE /v1/wallets/{id}` (interface.md sections 4.4 and 5.4). The signer destroys the key first: if the process ends before the row is
 * deleted, the wallet is useless already, and destroying it again or the next start completes it. Only a wallet without a row is not found.
 */
export const destroyWallet: WalletHandler<WalletContext, 'destroyWallet'> = async (
  context,
  { id, twoFactorCode },
) => {
  const { caller } = context;
  const [[wallet], secondFactor] = await batched(context, (db) => [
    selectUnfinished(db, { id, accountId: caller.accountId }),
    readSecondFactor(db, caller),
  ]);
  if (wallet === undefined) throw serviceError('walletNotFound');
  await assertSecondFactor(context, twoFactorCode, secondFactor);
  assertNotRevoked(context);
  try {
    const { at, isRecorded } = await destroy(context, wallet);
    if (!isRecorded)
      await auditInOwnTransaction(context, { action: 'destroy', outcome: 'replayed', walletId: id });
    return { kind: 'json', body: toReceipt(wallet, at) };
  } catch (error) {
    completeLater(context, wallet);
    throw error;
  }
};

async function destroy(context: WalletContext, wallet: WalletRow): Promise<Destruction> {
  const { signer, clock } = context;
  const { id: walletId, accountId } = wallet;
  await signer.destroy({ walletId, accountId, derivedFrom: derivedFrom(wallet) });
  const at = new Date(clock.nowMs());
  return { at, isRecorded: await forget(context, wallet, at) };
}

/**
 * Completes a destruction that failed midway as soon as signer and store answer: the failure may be only that an answer was lost. A wallet
 * that the signer has not destroyed is left as it is.
 */
function completeLater(context: WalletContext, wallet: WalletRow): void {
  const { signer, retryUntilSettled, log, caller } = context;
  const work = async (): Promise<void> => {
    if ((await findDestroyed(signer, [wallet])).length > 0) await destroy(context, wallet);
  };
  retryUntilSettled(work).catch((error: unknown) => {
    const { message: reason } = toServiceError(error);
    log.error({ reason, requestId: caller.requestId }, 'cannot complete the destruction of a wallet yet');
  });
}

/** Deletes the row, with an audit record. @returns false if the row no longer exists. */
async function forget(context: WalletContext, wallet: WalletRow, destroyedAt: Date): Promise<boolean> {
  const { accountId } = wallet;
  const facts = [{ action: 'destroy', outcome: 'ok', walletId: wallet.id }];
  return transact(context, async (tx) => {
    const isThere = (await deleteWallets(tx, accountId, [wallet], destroyedAt)).size > 0;
    if (isThere) await audit(tx, context, facts);
    return isThere;
  });
}

function toReceipt({ id, address }: WalletRow, destroyedAt: Date) {
  return { wallet_id: id, address, destroyed_at: destroyedAt.toISOString() };
}
