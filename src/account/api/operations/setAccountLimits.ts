import type { AccountHandler } from '../../../../generated/account/handlers.ts';
import { setCreateLimit } from '../../plans/wallet-create-limit.ts';
import { setUseLimit } from '../../plans/wallet-use-limit.ts';
import type { OperationContext } from '../account-context.ts';
import { recordOperation } from '../record-change.ts';
import { assertAccount, toOperatedAccountView } from '../operated-account-view.ts';

/** `POST /account/v1/operator/accounts/{id}/limits`: sets a limit, or restores its default. */
export const setAccountLimits: AccountHandler<OperationContext, 'setAccountLimits'> = async (
  context,
  { id, body },
) => {
  await assertAccount(context, id);
  const set = { wallet_create: setCreateLimit, wallet_use: setUseLimit }[body.limit];
  await set({ ...context, record: recordOperation(context, 'setaccountlimits') }, id, body.requests);
  return { kind: 'json', body: await toOperatedAccountView(context, id) };
};
