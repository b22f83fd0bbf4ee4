import type { AccountHandler } from '../../../../generated/account/handlers.ts';
import type { Balance as ShownBalance } from '../../../../generated/account/types.ts';
import { readAccount } from '../../accounts/accounts.ts';
import { type Balance, readBalance } from '../../billing/books/balance.ts';
import { printUsd } from '../../../../runtime/micro-usd.ts';
import type { CallLimitState } from '../../plans/count-call.ts';
import type { AccountContext } from '../account-context.ts';

/** `GET /account/v1/account`: the account of the caller; its balance only for one with `billing:read`. */
export const getAccount: AccountHandler<AccountContext, 'getAccount'> = async (context) => {
  const { store, plans, clock, caller, walletStanding } = context;
  const { accountId } = caller;
  const { name, createdAt } = await readAccount(store, accountId);
  const balance = await readBalance(store, accountId, clock.nowMs());
  const { create, use } = await walletStanding(accountId);
  const plan = plans.planOf(accountId);
  const figures = { name: plan.name, requests_per_second: plan.requestsPerSecond, burst: plan.burst };
  return {
    kind: 'json',
    body: {
      account_id: accountId,
      name,
      plan: figures,
      wallet_create_limit: showLimit(create),
      wallet_use_limit: showLimit(use),
      billing: balance.billing,
      ...(caller.scopes.has('billing:read') && { balance: showBalance(balance) }),
      created_at: createdAt.toISOString(),
    },
  };
};

function showLimit({ limit, windowSeconds, remaining, resetMs }: CallLimitState) {
  const window = { requests: limit, window_seconds: windowSeconds };
  return { ...window, remaining, reset_seconds: Math.ceil(resetMs / 1_000) };
}

function showBalance({ available, balance, creditLimit, reserved, charged }: Balance): ShownBalance {
  return {
    available_usd: printUsd(available),
    balance_usd: printUsd(balance),
    credit_limit_usd: printUsd(creditLimit),
    reserved_usd: printUsd(reserved),
    charged_usd: printUsd(charged),
  };
}
