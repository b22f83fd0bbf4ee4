import type { AccountHandler } from '../../../../generated/account/handlers.ts';
import type { OperationContext } from '../account-context.ts';
import { recordRead } from '../record-change.ts';
import { assertAccount, toOperatedAccountView } from '../operated-account-view.ts';

/** `GET /account/v1/operator/accounts/{id}`. */
export const readAccount: AccountHandler<OperationContext, 'readAccount'> = async (context, { id }) => {
  await assertAccount(context, id);
  await recordRead(context, 'readaccount', id);
  return { kind: 'json', body: await toOperatedAccountView(context, id) };
};
