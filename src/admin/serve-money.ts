import { findAccount } from '../account/find-account.ts';
import { readBalance } from '../account/money/balance.ts';
import { credit } from '../account/money/credit.ts';
import { printUsd } from '../../runtime/micro-usd.ts';
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
    return { credited_usd: printUsd(amount), ...(await showStanding(store, account, accountId, nowMs)) };
  }
  return showStanding(store, account, accountId, nowMs);
}

/** Returns how an account pays and what it has, as commands print it. */
export async function showStanding(store: Store, account: string, accountId: string, nowMs: number) {
  const { billing, mode, operations, ...amounts } = await readBalance(store, accountId, nowMs);
  const counts = Object.entries(operations).map(([operation, units]) => [operation, Number(units)]);
  return {
    ...{ account, billing, mode, granted_credit_limit_usd: printUsd(amounts.grantedCreditLimit) },
    available_usd: printUsd(amounts.available),
    balance_usd: printUsd(amounts.balance),
    credit_limit_usd: printUsd(amounts.creditLimit),
    reserved_usd: printUsd(amounts.reserved),
    charged_usd: printUsd(amounts.charged),
    charged_this_month_usd: printUsd(amounts.monthCharged),
    operations_this_month: Object.fromEntries(counts),
  };
}
