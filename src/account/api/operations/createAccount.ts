import type { AccountHandler } from '../../../../generated/account/handlers.ts';
import { createAccount as create } from '../../setup/create-account.ts';
import type { OperationContext } from '../account-context.ts';
import { recordOperation } from '../record-change.ts';
import { toOperatedAccountView } from '../operated-account-view.ts';

/** `POST /account/v1/operator/accounts`: an account without members, keys and tokens, which does not operate the server. */
export const createAccount: AccountHandler<OperationContext, 'createAccount'> = async (context, { body }) => {
  const { name, plan } = body;
  const deps = { ...context, record: recordOperation(context, 'createaccount') };
  const id = await create(deps, { name, plan }, context.clock.nowMs());
  return { kind: 'json', body: await toOperatedAccountView(context, id) };
};
