import type { AccountHandler } from '../../../generated/account/handlers.ts';
import { setCreateLimit } from '../../account/wallet-create-limit.ts';
import { setUseLimit } from '../../account/wallet-use-limit.ts';
import type { AccountContext } from '../account-context.ts';
import { recordOperation } from '../record-change.ts';
import { assertAccount, showOperatedAccount } from '../show-operated-account.ts';

/** `POST /account/v1/operator/accounts/{id}/limits`: one limit, or its default again. */
export const setAccountLimits: AccountHandler<AccountContext, 'setAccountLimits'> = async (
  context,
  { id, body },
) => {
  await assertAccount(context, id);
  const set = { wallet_create: setCreateLimit, wallet_use: setUseLimit }[body.limit];
  await set({ ...context, record: recordOperation(context, 'setaccountlimits') }, id, body.requests);
  return { kind: 'json', body: await showOperatedAccount(context, id) };
};
