import type { AccountHandler } from '../../../generated/account/handlers.ts';
import type { AccountContext } from '../account-context.ts';
import { showBillingSettings } from '../show-billing-settings.ts';

/** `GET /account/v1/billing`: how the account pays and what it wants to be told. */
export const getBillingSettings: AccountHandler<AccountContext, 'getBillingSettings'> = async (context) => ({
  ...{ kind: 'json', body: await showBillingSettings(context) },
});
