import type { AccountHandler } from '../../../generated/account/handlers.ts';
import type { AccountContext } from '../account-context.ts';
import { recordRead } from '../record-change.ts';
import { assertAccount, showOperatedAccount } from '../show-operated-account.ts';

/** `GET /account/v1/operator/accounts/{id}`. */
export const readAccount: AccountHandler<AccountContext, 'readAccount'> = async (context, { id }) => {
  await assertAccount(context, id);
  await recordRead(context, 'readaccount', id);
  return { kind: 'json', body: await showOperatedAccount(context, id) };
};
