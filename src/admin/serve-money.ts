import { findAccount } from '../account/find-account.ts';
import { readBalance } from '../account/money/balance.ts';
import { credit } from '../account/money/credit.ts';
import { printUsd } from '../../runtime/micro-usd.ts';
import { setCreditLimit } from '../account/money/set-billing.ts';
import type { Store } from '../store/open-store.ts';
import type { AccountRequest } from './account-request.ts';

type MoneyRequest = Extract<AccountRequest, { readonly kind: `money.${string}` }>;

/** Runs a request about money and returns the new balance of the account; amounts are exact decimal text in USD. */
export async function serveMoney(store: Store, request: MoneyRequest, nowMs: number): Promise<unknown> {
  const { account } = request;
  const accountId = await findAccount(store, account);
  if (request.kind === 'money.credit') {
    const { amount, note } = request;
    await store.transaction((tx) => credit(tx, { accountId, amount, note, nowMs }));
    return { credited_usd: printUsd(amount), ...(await show(store, account, accountId, nowMs)) };
  }
  if (request.kind === 'money.billing') {
    const { creditLimit } = request;
    await store.transaction((tx) => setCreditLimit(tx, { accountId, creditLimit }));
  }
  return show(store, account, accountId, nowMs);
}

async function show(store: Store, account: string, accountId: string, nowMs: number) {
  const { billing, operations, ...amounts } = await readBalance(store, accountId, nowMs);
  const counts = Object.entries(operations).map(([operation, units]) => [operation, Number(units)]);
  return {
    account,
    billing,
    available_usd: printUsd(amounts.available),
    balance_usd: printUsd(amounts.balance),
    credit_limit_usd: printUsd(amounts.creditLimit),
    reserved_usd: printUsd(amounts.reserved),
    charged_usd: printUsd(amounts.charged),
    operations_this_month: Object.fromEntries(counts),
  };
}
