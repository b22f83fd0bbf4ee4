import { useQuery } from '@tanstack/react-query';
import { account } from '../../calls/account-client.ts';
import { NEWEST_INVOICES_KEY, SETTINGS_KEY } from './keys.ts';

/** Invoices that are looked at for those to pay. Deposits pay the oldest first, so that those are the newest. */
const NEWEST = 100;

/** Reads how the account pays, and its newest invoices. `isAllowed` is false for members who may not see money. */
export function useBilling({ isAllowed }: { readonly isAllowed: boolean }) {
  const settings = useQuery({
    queryKey: SETTINGS_KEY,
    queryFn: ({ signal }) => account.getBillingSettings({ signal }),
    enabled: isAllowed,
  });
  const invoices = useQuery({
    queryKey: NEWEST_INVOICES_KEY,
    queryFn: async ({ signal }) => (await account.listInvoices({ limit: NEWEST }, { signal })).invoices,
    enabled: isAllowed,
  });
  return { settings, invoices };
}
