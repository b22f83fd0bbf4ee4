import type { AccountHandler } from '../../../../generated/account/handlers.ts';
import { creditOnce } from '../../billing/books/credit.ts';
import { parseUsd } from '../../../../runtime/micro-usd.ts';
import { serviceError } from '../../../core/service-error.ts';
import type { AccountContext } from '../account-context.ts';
import { recordOperation } from '../record-change.ts';
import { assertAccount, toOperatedAccountView } from '../operated-account-view.ts';

/** `POST /account/v1/operator/accounts/{id}/credits`. A credit that is already booked is neither booked nor recorded again. */
export const creditAccount: AccountHandler<AccountContext, 'creditAccount'> = async (
  context,
  { id, body },
) => {
  await assertAccount(context, id);
  const { reference } = body;
  const amount = parseUsd(body.amount_usd) ?? 0n;
  if (amount === 0n) {
    const errors = [{ pointer: '/amount_usd', detail: 'must be an amount other than 0' }];
    throw serviceError('bodyInvalid', { errors });
  }
  const { store, clock } = context;
  const record = recordOperation(context, 'creditaccount');
  const wanted = { accountId: id, amount, note: reference, reference, nowMs: clock.nowMs() };
  await store.transaction(async (tx) => {
    if (await creditOnce(tx, wanted)) await record(tx, id);
  });
  return { kind: 'json', body: await toOperatedAccountView(context, id) };
};
