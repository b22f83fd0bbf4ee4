import type { AccountHandler } from '../../../../generated/account/handlers.ts';
import { printUsd } from '../../../../runtime/micro-usd.ts';
import { readWalletUsage, type WalletUsageSum } from '../../usage/read-wallet-usage.ts';
import type { AccountContext } from '../account-context.ts';
import { readSumSpan, showSpan } from '../read-span.ts';

/**
 * `GET /account/v1/usage/wallets`: sums of the use of the wallet service by tokens and members; the cost only for a caller with
 * `billing:read`.
 */
export const getWalletUsage: AccountHandler<AccountContext, 'getWalletUsage'> = async (
  { store, clock, caller: { accountId, scopes } },
  { query },
) => {
  const { by } = query;
  const span = readSumSpan(query, clock.nowMs());
  const sums = await readWalletUsage(store, { ...span, by, accountId });
  const rows = sums.map((sum) => showSum(sum, scopes.has('billing:read')));
  return { kind: 'json', body: { ...showSpan(span), by, rows } };
};

function showSum({ token, charged, ...sum }: WalletUsageSum, hasCost: boolean) {
  const name = token?.name ?? undefined;
  return {
    ...sum,
    ...(name !== undefined && { token_name: name }),
    ...(charged !== undefined && { units: Number(charged.units) }),
    ...(charged !== undefined && hasCost && { cost_usd: printUsd(charged.cost) }),
  };
}
