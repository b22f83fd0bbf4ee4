import type { AccountHandler } from '../../../../generated/account/handlers.ts';
import { readAccounts } from '../../setup/read-accounts.ts';
import { readPage } from '../../../core/read-page.ts';
import { utcMonth } from '../../../core/utc-month.ts';
import type { OperationContext } from '../account-context.ts';
import { recordRead } from '../record-change.ts';
import { isUuid } from '../uuid.ts';

/** `GET /account/v1/operator/accounts`: a page of all accounts, or of those that a filter chooses. */
export const listAccounts: AccountHandler<OperationContext, 'listAccounts'> = async (context, { query }) => {
  const { store, plans, clock } = context;
  const filters = {
    part: query.name,
    isInNeed: query.only === 'needs_credit_limit',
    month: utcMonth(clock.nowMs()),
  };
  const { rows, nextCursor } = await readPage(query, {
    isId: isUuid,
    read: (page) => readAccounts(store, { ...page, ...filters }),
  });
  await recordRead(context, 'listaccounts');
  const accounts = rows.map(({ id, name, operates, createdAt, needsCreditLimit }) => ({
    account_id: id,
    name,
    operates,
    created_at: createdAt.toISOString(),
    plan: plans.planOf(id).name,
    needs_credit_limit: needsCreditLimit,
  }));
  return { kind: 'json', body: { accounts, ...nextCursor } };
};
