import type { BillingMode } from '../../../../../generated/account/types.ts';

/** The billing modes in words. */
export const BILLING_MODES: Readonly<Record<BillingMode, string>> = {
  by_volume: 'By volume: invoiced once a month costs more than the invoice threshold',
  invoiced: 'Always by invoice',
  prepaid: 'Always from its balance',
};
