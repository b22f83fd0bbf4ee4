import type { WalletHandler } from '../../../generated/wallets/handlers.ts';
import { printCursor, readCursor } from '../../base/list-cursor.ts';
import { serviceError } from '../../base/service-error.ts';
import { auditInOwnTransaction } from '../audit.ts';
import { listRows } from '../managed/list-rows.ts';
import { destroyedOf } from '../managed/reconciliation.ts';
import { toMetadata } from '../managed/to-metadata.ts';
import type { WalletContext } from '../wallet-context.ts';
import { isWalletId } from '../wallet-id.ts';

/** `GET /v1/wallets`: a page of the account's managed wallets. The call is in the audit log before it is answered. */
export const listWallets: WalletHandler<WalletContext, 'listWallets'> = async (context, { query }) => {
  const { cursor, limit, ...filters } = query;
  const after = cursor === undefined ? undefined : readCursor(cursor, isWalletId);
  if (cursor !== undefined && after === undefined) {
    const errors = [{ pointer: '/cursor', detail: 'is not the next_cursor of a page' }];
    throw serviceError('queryInvalid', { errors });
  }
  const rows = await listRows(context, filters, { after, limit: limit + 1 });
  const page = rows.slice(0, limit);
  const destroyed = new Set(await destroyedOf(context, page));
  await auditInOwnTransaction(context, { action: 'list', outcome: 'ok' });
  const last = rows.length > limit ? page.at(-1) : undefined;
  return {
    kind: 'json',
    body: {
      wallets: page.filter((row) => !destroyed.has(row)).map(toMetadata),
      ...(last === undefined ? {} : { next_cursor: printCursor({ at: last.createdAt, id: last.id }) }),
    },
  };
};
