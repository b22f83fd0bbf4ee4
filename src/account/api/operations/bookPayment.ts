import type { AccountHandler } from '../../../../generated/account/handlers.ts';
import { creditOnce } from '../../billing/books/credit.ts';
import { parseUsd, printUsd } from '../../../../runtime/micro-usd.ts';
import { serviceError } from '../../../core/service-error.ts';
import type { AccountContext } from '../account-context.ts';
import { recordOperation } from '../record-change.ts';
import { assertAccount } from '../operated-account-view.ts';

/** `POST /account/v1/operator/accounts/{id}/payments`. A payment that is already booked is neither booked nor recorded again. */
export const bookPayment: AccountHandler<AccountContext, 'bookPayment'> = async (context, { id, body }) => {
  await assertAccount(context, id);
  const { reference } = body;
  const amount = parseUsd(body.amount_usd) ?? 0n;
  if (amount <= 0n) {
    const errors = [{ pointer: '/amount_usd', detail: 'must be more than 0' }];
    throw serviceError('bodyInvalid', { errors });
  }
  const { store, clock } = context;
  const record = recordOperation(context, 'bookpayment');
  const paid = { accountId: id, amount, note: reference, reference, nowMs: clock.nowMs() };
  const isBooked = await store.transaction(async (tx) => {
    const isNew = await creditOnce(tx, paid);
    if (isNew) await record(tx, id);
    return isNew;
  });
  const payment = { account_id: id, amount_usd: printUsd(amount), reference };
  return { kind: 'json', body: { ...payment, was_booked: !isBooked } };
};
