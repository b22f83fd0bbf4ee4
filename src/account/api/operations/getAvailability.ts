import type { AccountHandler } from '../../../../generated/account/handlers.ts';
import type { AccountContext } from '../account-context.ts';
import { toAvailabilityView } from '../availability-view.ts';

/** `GET /account/v1/availability`: credits only for a caller with `billing:read`. */
export const getAvailability: AccountHandler<AccountContext, 'getAvailability'> = async (context) => {
  const { store, clock, caller, measureMonth } = context;
  const { accountId, scopes } = caller;
  const nowMs = clock.nowMs();
  const measured = await measureMonth(accountId, nowMs);
  const seesMoney = scopes.has('billing:read');
  return {
    kind: 'json',
    body: await toAvailabilityView(store, { accountId, measured, seesMoney, nowMs }),
  };
};
