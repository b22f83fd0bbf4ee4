import { useQuery } from '@tanstack/react-query';
import { account } from '../../calls/account-client.ts';
import { NEWEST_INVOICES_KEY, SETTINGS_KEY } from './keys.ts';

/** The number of newest invoices that are checked for open ones. Deposits pay the oldest first, so open ones are the newest. */
const NEWEST = 100;

/** Reads the billing terms of the account and its newest invoices. `isAllowed` is false for members without access to money. */
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
