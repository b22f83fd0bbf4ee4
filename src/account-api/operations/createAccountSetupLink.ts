import type { AccountHandler } from '../../../generated/account/handlers.ts';
import { insertLink } from '../../account/members/setup-links.ts';
import type { AccountContext } from '../account-context.ts';
import { recordOperation } from '../record-change.ts';
import { assertAccount } from '../show-operated-account.ts';

/** `POST /account/v1/operator/accounts/{id}/setup-link`. The token is in the answer, and nowhere else. */
export const createAccountSetupLink: AccountHandler<AccountContext, 'createAccountSetupLink'> = async (
  context,
  { id },
) => {
  await assertAccount(context, id);
  const { store, clock } = context;
  const record = recordOperation(context, 'createaccountsetuplink', 'setup_link.create');
  const { token, expiresAt } = await store.transaction(async (tx) => {
    const link = await insertLink(tx, { accountId: id, userId: null }, clock.nowMs());
    await record(tx, id);
    return link;
  });
  return { kind: 'json', body: { account_id: id, token, expires_at: expiresAt.toISOString() } };
};
