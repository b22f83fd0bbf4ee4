import type { SQL } from 'drizzle-orm';
import { sql } from '../../store/drizzle.ts';
import { accounts } from '../../store/tables.ts';

/**
 * True for rows of `accounts` that were charged more than the invoice threshold in a month, as far as that was noticed, and pay from their
 * balance because they have no credit limit.
 */
export function needsCreditLimit(month: string): SQL<boolean> {
  return sql<boolean>`exists (
      select from threshold_crossings t where t.account_id = ${accounts.id} and t.month = ${month}
    ) and not exists (
      select from billing_terms b where b.account_id = ${accounts.id} and (b.mode <> 'by_volume' or b.credit_limit > 0)
    )`;
}
