import type { WalletHandler } from '../../../generated/wallets/handlers.ts';
import { readPage } from '../../core/read-page.ts';
import { auditInOwnTransaction } from '../audit.ts';
import { listRows } from '../managed/list-rows.ts';
import { destroyedOf } from '../managed/destroyed-rows.ts';
import { toMetadata } from '../managed/to-metadata.ts';
import type { WalletContext } from '../wallet-context.ts';
import { isWalletId } from '../wallet-id.ts';

/** `GET /v1/wallets`: a page of the account's managed wallets. The call is in the audit log before it is answered. */
export const listWallets: WalletHandler<WalletContext, 'listWallets'> = async (context, { query }) => {
  const { cursor, limit, ...filters } = query;
  const asked = { limit, ...(cursor === undefined ? {} : { cursor }) };
  const { rows, nextCursor } = await readPage(asked, {
    isId: isWalletId,
    read: (page) => listRows(context, filters, page),
  });
  const destroyed = new Set(await destroyedOf(context, rows));
  await auditInOwnTransaction(context, { action: 'list', outcome: 'ok' });
  const wallets = rows.filter((row) => !destroyed.has(row)).map(toMetadata);
  return { kind: 'json', body: { wallets, ...nextCursor } };
};
