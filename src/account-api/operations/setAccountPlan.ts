import type { AccountHandler } from '../../../generated/account/handlers.ts';
import { setAccountPlan as setPlan } from '../../account/plans.ts';
import type { AccountContext } from '../account-context.ts';
import { recordOperation } from '../record-change.ts';
import { assertAccount, showOperatedAccount } from '../show-operated-account.ts';

/** `POST /account/v1/operator/accounts/{id}/plan`. */
export const setAccountPlan: AccountHandler<AccountContext, 'setAccountPlan'> = async (context, wanted) => {
  const { id, body } = wanted;
  await assertAccount(context, id);
  await setPlan({ ...context, record: recordOperation(context, 'setaccountplan') }, id, body.plan);
  return { kind: 'json', body: await showOperatedAccount(context, id) };
};
