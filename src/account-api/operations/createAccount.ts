import type { AccountHandler } from '../../../generated/account/handlers.ts';
import { createAccount as create } from '../../account/create-account.ts';
import type { AccountContext } from '../account-context.ts';
import { recordOperation } from '../record-change.ts';
import { showOperatedAccount } from '../show-operated-account.ts';

/** `POST /account/v1/operator/accounts`: an account without members, keys and tokens, which does not operate the server. */
export const createAccount: AccountHandler<AccountContext, 'createAccount'> = async (context, { body }) => {
  const { name, plan } = body;
  const deps = { ...context, record: recordOperation(context, 'createaccount') };
  const id = await create(deps, { name, plan }, context.clock.nowMs());
  return { kind: 'json', body: await showOperatedAccount(context, id) };
};
