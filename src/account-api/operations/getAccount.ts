import type { AccountHandler } from '../../../generated/account/handlers.ts';
import type { Balance as ShownBalance } from '../../../generated/account/types.ts';
import { readAccount } from '../../account/accounts.ts';
import { type Balance, readBalance } from '../../account/money/balance.ts';
import { printUsd } from '../../account/money/micro-usd.ts';
import { readCreateLimit, readUseLimit, type WalletLimit } from '../../account/read-wallet-limit.ts';
import type { AccountContext } from '../account-context.ts';

/** `GET /account/v1/account`: the account of the caller; its balance only for one with `billing:read`. */
export const getAccount: AccountHandler<AccountContext, 'getAccount'> = async (context) => {
  const { store, plans, clock, caller } = context;
  const { accountId } = caller;
  const { name, createdAt } = await readAccount(store, accountId);
  const balance = await readBalance(store, accountId, clock.nowMs());
  const plan = plans.planOf(accountId);
  const figures = { name: plan.name, requests_per_second: plan.requestsPerSecond, burst: plan.burst };
  return {
    kind: 'json',
    body: {
      ...{ account_id: accountId, name, plan: figures },
      wallet_create_limit: showLimit(await readCreateLimit(store, accountId)),
      wallet_use_limit: showLimit(await readUseLimit(context, accountId)),
      billing: balance.billing,
      ...(caller.scopes.has('billing:read') && { balance: showBalance(balance) }),
      created_at: createdAt.toISOString(),
    },
  };
};

function showLimit({ requests, windowSeconds }: WalletLimit) {
  return { requests, window_seconds: windowSeconds };
}

function showBalance({ available, balance, creditLimit, reserved, charged }: Balance): ShownBalance {
  return {
    ...{ available_usd: printUsd(available), balance_usd: printUsd(balance) },
    credit_limit_usd: printUsd(creditLimit),
    ...{ reserved_usd: printUsd(reserved), charged_usd: printUsd(charged) },
  };
}
