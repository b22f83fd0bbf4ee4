import type { WalletHandler } from '../../../generated/wallets/handlers.ts';
import { serviceError } from '../../base/service-error.ts';
import { audit, auditExpected } from '../audit.ts';
import { assertSecondFactor, readSecondFactor } from '../managed/assert-second-factor.ts';
import { derivedFrom, deleteWallets, deleteWalletsExpected } from '../managed/delete-wallets.ts';
import { assertFound, selectWallet } from '../managed/find-wallet.ts';
import type { WalletRow } from '../managed/wallet-row.ts';
import { together, transact, tryTogether } from '../transact.ts';
import type { WalletContext } from '../wallet-context.ts';

/**
 * `DELETE /v1/wallets/{id}` (interface.md sections 4.4 and 5.4). The signer destroys the key first: if the process ends before the row is
 * deleted, the wallet is useless already, and destroying it again or the next start completes it.
 */
export const destroyWallet: WalletHandler<WalletContext, 'destroyWallet'> = async (
  context,
  { id, twoFactorCode },
) => {
  const { signer, caller, clock } = context;
  const { accountId } = caller;
  const [rows, secondFactor] = await together(context, (db) => [
    selectWallet(db, { id, accountId }),
    readSecondFactor(db, caller),
  ]);
  const wallet = await assertFound(context, rows);
  await assertSecondFactor(context, twoFactorCode, secondFactor);
  await signer.destroy({ walletId: id, accountId, derivedFrom: derivedFrom(wallet) });
  const destroyedAt = new Date(clock.nowMs());
  await forget(context, wallet, destroyedAt);
  return { kind: 'json', body: toReceipt(wallet, destroyedAt) };
};

/** Deletes the row, with an audit record. */
async function forget(context: WalletContext, wallet: WalletRow, destroyedAt: Date): Promise<void> {
  const { accountId } = context.caller;
  const facts = [{ action: 'destroy', outcome: 'ok', walletId: wallet.id }];
  const isGone = await tryTogether(context, (db) => [
    deleteWalletsExpected(db, accountId, [wallet], destroyedAt),
    auditExpected(db, context, facts),
  ]);
  if (isGone !== undefined) return;
  await transact(context, async (tx) => {
    const gone = await deleteWallets(tx, accountId, [wallet], destroyedAt);
    // Another request destroyed it at the same time, and has the receipt.
    if (gone.size === 0) throw serviceError('walletNotFound');
    await audit(tx, context, facts);
  });
}

function toReceipt({ id, address }: WalletRow, destroyedAt: Date) {
  return { wallet_id: id, address, destroyed_at: destroyedAt.toISOString() };
}
