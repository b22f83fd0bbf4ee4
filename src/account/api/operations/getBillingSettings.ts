import type { AccountHandler } from '../../../../generated/account/handlers.ts';
import type { OperationContext } from '../account-context.ts';
import { toBillingSettingsView } from '../billing-settings-view.ts';

/** `GET /account/v1/billing`: how the account pays, and its balance notices. */
export const getBillingSettings: AccountHandler<OperationContext, 'getBillingSettings'> = async (
  context,
) => ({
  kind: 'json',
  body: await toBillingSettingsView(context),
});
