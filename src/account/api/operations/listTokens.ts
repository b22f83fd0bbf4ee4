import type { AccountHandler } from '../../../../generated/account/handlers.ts';
import { readAccessTokens } from '../../identity/tokens/access-tokens.ts';
import { readKeyUses } from '../../identity/api-keys/key-uses.ts';
import type { AccountContext } from '../account-context.ts';
import { readPage } from '../../../core/read-page.ts';
import { isUuid } from '../uuid.ts';
import { toTokenView } from '../token-view.ts';

/** `GET /account/v1/tokens`: a page of the account's access tokens, without their secrets. */
export const listTokens: AccountHandler<AccountContext, 'listTokens'> = async (context, { query }) => {
  const { store, caller, clock } = context;
  const { rows, nextCursor } = await readPage(query, {
    isId: isUuid,
    read: (page) => readAccessTokens(store, caller.accountId, page),
  });
  const uses = await readKeyUses(
    store,
    rows.map(({ id }) => id),
  );
  const tokens = rows.map((row) => toTokenView(row, clock.nowMs(), uses.get(row.id)));
  return { kind: 'json', body: { tokens, ...nextCursor } };
};
