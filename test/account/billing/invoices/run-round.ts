import { createRounds, type Round } from '../../../../src/account/billing/invoices/balance-notices.ts';
import type { BillingNotice } from '../../../../src/account/billing/invoices/billing-notice.ts';

/** Does a whole round of the work on the money of accounts. @returns what happened. @throws the error of an account. */
export async function runRound<T extends { readonly accountId: string }>(
  round: Round<T>,
  nowMs: number,
): Promise<readonly BillingNotice[]> {
  const notices: BillingNotice[] = [];
  const failures: unknown[] = [];
  const step = createRounds(round, {
    onNotice: (notice) => notices.push(notice),
    onFailure: (error) => failures.push(error),
  });
  while (await step(nowMs));
  if (failures.length > 0) throw failures[0];
  return notices;
}
