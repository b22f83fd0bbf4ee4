import type { AccountHandler } from '../../../../generated/account/handlers.ts';
import { parseUsd } from '../../../../runtime/micro-usd.ts';
import { setBalanceNotices } from '../../billing/invoices/balance-notices.ts';
import { writeTerms } from '../../billing/invoices/terms.ts';
import { serviceError } from '../../../core/service-error.ts';
import type { OperationContext } from '../account-context.ts';
import { recordChange } from '../record-change.ts';
import { toBillingSettingsView } from '../billing-settings-view.ts';

/** `POST /account/v1/billing`: the recipient of invoices, and the balance notices. */
export const changeBillingSettings: AccountHandler<OperationContext, 'changeBillingSettings'> = async (
  context,
  { body },
) => {
  const { recipient, notify_below_usd: amounts } = body;
  const thresholds = amounts === undefined ? undefined : readThresholds(amounts);
  const { store, caller } = context;
  const { accountId } = caller;
  const record = recordChange(context, 'changebillingsettings');
  await store.transaction(async (tx) => {
    if (thresholds !== undefined) await setBalanceNotices(tx, accountId, thresholds);
    if (recipient !== undefined) await writeTerms(tx, accountId, { recipient });
    await record(tx, accountId);
  });
  return { kind: 'json', body: await toBillingSettingsView(context) };
};

/** @throws ServiceError `bodyInvalid` for an amount that is not more than 0, or duplicated. */
function readThresholds(amounts: readonly string[]): readonly bigint[] {
  const thresholds = amounts.map((amount) => parseUsd(amount) ?? 0n);
  const errors = thresholds.flatMap((threshold, at) => {
    const pointer = `/notify_below_usd/${at}`;
    if (threshold <= 0n) return [{ pointer, detail: 'must be more than 0' }];
    if (thresholds.indexOf(threshold) < at) return [{ pointer, detail: 'duplicates an earlier amount' }];
    return [];
  });
  if (errors.length > 0) throw serviceError('bodyInvalid', { errors });
  return thresholds;
}
