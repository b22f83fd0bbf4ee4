import type { AccountHandler } from '../../../../generated/account/handlers.ts';
import { parseUsd } from '../../../../runtime/micro-usd.ts';
import { setTerms } from '../../billing/invoices/set-terms.ts';
import type { BillingTerms } from '../../billing/invoices/terms.ts';
import { serviceError } from '../../../core/service-error.ts';
import type { OperationContext } from '../account-context.ts';
import { recordOperation } from '../record-change.ts';
import { assertAccount, toOperatedAccountView } from '../operated-account-view.ts';

/** `POST /account/v1/operator/accounts/{id}/billing`: how an account pays, and its credit limit. */
export const setBilling: AccountHandler<OperationContext, 'setBilling'> = async (context, { id, body }) => {
  await assertAccount(context, id);
  const { mode } = body;
  const creditLimit = parseUsd(body.credit_limit_usd) ?? -1n;
  const detail = faultOf(mode, creditLimit);
  if (detail !== undefined)
    throw serviceError('bodyInvalid', { errors: [{ pointer: '/credit_limit_usd', detail }] });
  const { store, clock } = context;
  const record = recordOperation(context, 'setbilling');
  await store.transaction(async (tx) => {
    await setTerms(tx, { accountId: id, mode, creditLimit, nowMs: clock.nowMs() });
    await record(tx, id);
  });
  await context.payLater(id);
  return { kind: 'json', body: await toOperatedAccountView(context, id) };
};

function faultOf(mode: BillingTerms['mode'], creditLimit: bigint): string | undefined {
  if (creditLimit < 0n) return 'must be at least 0';
  if (mode === 'invoiced' && creditLimit === 0n) return 'must be more than 0 for the mode invoiced';
  if (mode === 'prepaid' && creditLimit > 0n) return 'must be 0 for the mode prepaid';
  return undefined;
}
