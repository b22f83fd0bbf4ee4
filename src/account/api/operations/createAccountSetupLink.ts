import type { AccountHandler } from '../../../../generated/account/handlers.ts';
import { linkTo } from '../../identity/members/member-links.ts';
import { assertNoOwner } from '../../identity/members/is-member.ts';
import { insertLink } from '../../identity/members/setup-links.ts';
import type { AccountContext } from '../account-context.ts';
import { recordOperation } from '../record-change.ts';
import { assertAccount } from '../operated-account-view.ts';

/**
 * `POST /account/v1/operator/accounts/{id}/setup-link`. The link is in the answer, and nowhere else; no server or proxy sees its fragment.
 * An account that has an owner, or that operates the server, gets one only on the server's machine.
 */
export const createAccountSetupLink: AccountHandler<AccountContext, 'createAccountSetupLink'> = async (
  context,
  { id },
) => {
  await assertAccount(context, id);
  const { store, clock, baseUrl } = context;
  const record = recordOperation(context, 'createaccountsetuplink', 'setup_link.create');
  const { token, expiresAt } = await store.transaction(async (tx) => {
    await assertNoOwner(tx, id);
    const made = await insertLink(tx, { accountId: id, userId: null }, clock.nowMs());
    await record(tx, id);
    return made;
  });
  const link = linkTo(baseUrl, 'setup', token);
  return { kind: 'json', body: { account_id: id, link, expires_at: expiresAt.toISOString() } };
};
