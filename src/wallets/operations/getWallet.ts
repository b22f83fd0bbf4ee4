import type { WalletHandler } from '../../../generated/wallets/handlers.ts';
import { auditInOwnTransaction, auditIfExists, type WalletFact } from '../audit.ts';
import { assertFound, selectWallet } from '../managed/find-wallet.ts';
import { toMetadata } from '../managed/to-metadata.ts';
import { batched } from '../transact.ts';
import type { WalletContext } from '../wallet-context.ts';
import { isWalletId } from '../wallet-id.ts';

/** `GET /v1/wallets/{id}` (interface.md section 4.4). The call is in the audit log before it is answered. */
export const getWallet: WalletHandler<WalletContext, 'getWallet'> = async (context, { id }) => {
  const { caller, reconciliation } = context;
  const fact: WalletFact = { action: 'fetch', outcome: 'ok', walletId: id };
  // Until reconciliation is done, a row may belong to a destroyed wallet.
  const isRowEnough = reconciliation.isDone() && isWalletId(id);
  const [rows, isRecorded] = await batched(context, (db) => [
    selectWallet(db, { id, accountId: caller.accountId }),
    isRowEnough ? auditIfExists(db, context, fact) : Promise.resolve(false),
  ]);
  const wallet = await assertFound(context, rows);
  if (!isRecorded) await auditInOwnTransaction(context, fact);
  return { kind: 'json', body: toMetadata(wallet) };
};
