import type {
  OperatedAccount,
  PlanFigures,
  WalletLimit as ShownLimit,
} from '../../../generated/account/types.ts';
import { INVOICE_THRESHOLD } from '../billing/invoices/terms.ts';
import { type Balance, readBalance } from '../billing/books/balance.ts';
import { printUsd } from '../../../runtime/micro-usd.ts';
import type { Plan } from '../plans/plan.ts';
import { readAccount } from '../setup/read-accounts.ts';
import { readCreateLimit, readUseLimit, type WalletLimit } from '../plans/read-wallet-limit.ts';
import { serviceError } from '../../core/service-error.ts';
import type { OperationContext } from './account-context.ts';
import { isUuid } from './uuid.ts';

/** @throws ServiceError `accountNotFound` for an id that no account has. */
export async function assertAccount({ store }: OperationContext, id: string): Promise<void> {
  if (!isUuid(id)) throw serviceError('accountNotFound', { name: id });
  await readAccount(store, id);
}

/** Returns an account as operators see it. @throws ServiceError `accountNotFound`. */
export async function toOperatedAccountView(
  context: OperationContext,
  accountId: string,
): Promise<OperatedAccount> {
  const { store, plans, clock } = context;
  const { id, name, operates, createdAt } = await readAccount(store, accountId);
  const money = await readBalance(store, id, clock.nowMs());
  return {
    account_id: id,
    name,
    operates,
    created_at: createdAt.toISOString(),
    plan: showPlan(plans.planOf(id)),
    wallet_create_limit: showLimit(await readCreateLimit(store, id)),
    wallet_use_limit: showLimit(await readUseLimit(context, id)),
    balance: {
      billing: money.billing,
      mode: money.mode,
      granted_credit_limit_usd: printUsd(money.grantedCreditLimit),
      available_usd: printUsd(money.available),
      balance_usd: printUsd(money.balance),
      credit_limit_usd: printUsd(money.creditLimit),
      reserved_usd: printUsd(money.reserved),
      charged_usd: printUsd(money.charged),
      month_charged_usd: printUsd(money.monthCharged),
      needs_credit_limit: needsCreditLimit(money),
    },
  };
}

/** True for an account that would be invoiced if it had a credit limit. */
function needsCreditLimit({ mode, grantedCreditLimit, monthCharged }: Balance): boolean {
  return mode === 'by_volume' && grantedCreditLimit === 0n && monthCharged > INVOICE_THRESHOLD;
}

/** Returns a plan as the account service shows it. */
export function showPlan({ name, requestsPerSecond, burst, source }: Plan): PlanFigures {
  return { name, requests_per_second: requestsPerSecond, burst, source };
}

function showLimit({ requests, windowSeconds, source }: WalletLimit): ShownLimit {
  return { requests, window_seconds: windowSeconds, source };
}
