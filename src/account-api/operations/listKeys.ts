import type { AccountHandler } from '../../../generated/account/handlers.ts';
import { readApiKeys } from '../../account/api-keys.ts';
import { readKeyUses } from '../../account/key-uses.ts';
import type { AccountContext } from '../account-context.ts';
import { readPage } from '../../base/read-page.ts';
import { isUuid } from '../uuid.ts';
import { showKey } from '../show-key.ts';

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
  const keys = rows.map((row) => showKey(row, clock.nowMs(), uses.get(row.id)));
  return { kind: 'json', body: { keys, ...nextCursor } };
};
