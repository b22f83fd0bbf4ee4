import type { AccountHandler } from '../../../generated/account/handlers.ts';
import { readAccounts } from '../../account/read-accounts.ts';
import { readPage } from '../../base/read-page.ts';
import type { AccountContext } from '../account-context.ts';
import { recordRead } from '../record-change.ts';
import { isUuid } from '../uuid.ts';

/** `GET /account/v1/operator/accounts`: a page of all accounts, or of those whose names contain a text. */
export const listAccounts: AccountHandler<AccountContext, 'listAccounts'> = async (context, { query }) => {
  const { store, plans } = context;
  const { rows, nextCursor } = await readPage(query, {
    isId: isUuid,
    read: (page) => readAccounts(store, { ...page, part: query.name }),
  });
  await recordRead(context, 'listaccounts');
  const accounts = rows.map(({ id, name, operates, createdAt }) => ({
    ...{ account_id: id, name, operates, created_at: createdAt.toISOString(), plan: plans.planOf(id).name },
  }));
  return { kind: 'json', body: { accounts, ...nextCursor } };
};
