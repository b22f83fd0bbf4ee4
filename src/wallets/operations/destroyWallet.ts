import { checkTwoFactor, hasSecondFactor } from '../../account/two-factor/two-factor.ts';
import type { WalletHandler } from '../../../generated/wallets/handlers.ts';
import { serviceError } from '../../service-error.ts';
import { audit } from '../audit.ts';
import { derivedFrom, forgetWallets } from '../managed/forget-wallets.ts';
import { findWallet, type WalletRow } from '../managed/wallet-row.ts';
import { read, transact, withStore } from '../transact.ts';
import type { WalletContext } from '../wallet-context.ts';

/**
 * `DELETE /v1/wallets/{id}` (interface.md sections 4.4 and 5.4). The signer forgets the key first: if the process ends before the
 * row is gone, the wallet does nothing any more, and destroying it again or the next start completes it.
 */
export const destroyWallet: WalletHandler<WalletContext, 'destroyWallet'> = async (
  context,
  { id, twoFactorCode },
) => {
  const { signer, caller, clock } = context;
  const wallet = await findWallet(context, id);
  await assertSecondFactor(context, twoFactorCode);
  const { accountId } = caller;
  await signer.destroy({ walletId: id, accountId, derivedFrom: derivedFrom(wallet) });
  const destroyedAt = new Date(clock.nowMs());
  await transact(context, async (tx) => {
    const gone = await forgetWallets(tx, accountId, [wallet], destroyedAt);
    // Another request destroyed it at the same time, and has the receipt.
    if (gone.size === 0) throw serviceError('walletNotFound');
    await audit(tx, context, [{ action: 'destroy', outcome: 'ok', walletId: id }]);
  });
  return { kind: 'json', body: toReceipt(wallet, destroyedAt) };
};

function toReceipt({ id, address }: WalletRow, destroyedAt: Date) {
  return { wallet_id: id, address, destroyed_at: destroyedAt.toISOString() };
}

/**
 * Uses up a code of the account's second factor, or counts a wrong one; either is stored before this resolves.
 *
 * @throws ServiceError `twoFactorNotEnrolled`, `twoFactorMissing`, `twoFactorInvalid`, `twoFactorLocked`.
 */
async function assertSecondFactor(context: WalletContext, code: string | undefined): Promise<void> {
  const { store, installationKey, caller, clock } = context;
  const { accountId } = caller;
  if (code === undefined) {
    const isEnrolled = await read(context, (db) => hasSecondFactor(db, accountId));
    throw serviceError(isEnrolled ? 'twoFactorMissing' : 'twoFactorNotEnrolled');
  }
  const places = { store, installationKey };
  const finding = await withStore(() => checkTwoFactor(places, { accountId, code, nowMs: clock.nowMs() }));
  if (finding.kind === 'notEnrolled') throw serviceError('twoFactorNotEnrolled');
  if (finding.kind === 'invalid') throw serviceError('twoFactorInvalid');
  if (finding.kind === 'locked') {
    throw serviceError('twoFactorLocked', { retryAt: new Date(finding.retryAtMs).toISOString() });
  }
}
