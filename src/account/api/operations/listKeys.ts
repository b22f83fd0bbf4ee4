import type { AccountHandler } from '../../../../generated/account/handlers.ts';
import { readApiKeys } from '../../identity/api-keys/api-keys.ts';
import { readKeyUses } from '../../identity/api-keys/key-uses.ts';
import type { AccountContext } from '../account-context.ts';
import { readPage } from '../../../core/read-page.ts';
import { isUuid } from '../uuid.ts';
import { toKeyView } from '../key-view.ts';

/** `GET /account/v1/keys`: a page of the account's API keys, without their secrets. */
export const listKeys: AccountHandler<AccountContext, 'listKeys'> = async (context, { query }) => {
  const { store, caller, clock } = context;
  const { rows, nextCursor } = await readPage(query, {
    isId: isUuid,
    read: (page) => readApiKeys(store, caller.accountId, page),
  });
  const uses = await readKeyUses(
    store,
    rows.map(({ id }) => id),
  );
  const keys = rows.map((row) => toKeyView(row, clock.nowMs(), uses.get(row.id)));
  return { kind: 'json', body: { keys, ...nextCursor } };
};
