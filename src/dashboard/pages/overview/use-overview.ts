import { useQuery } from '@tanstack/react-query';
import { account } from '../../calls/account-client.ts';
import { useScopes } from '../../session/session.tsx';
import { useBilling } from '../billing/use-billing.ts';
import { useAvailability } from '../service-level/use-availability.ts';

const REFRESH_MS = 15_000;
/** Newest keys and tokens that are looked at for those that expire. */
const NEWEST = 200;

/** Reads what the overview shows, as far as the member may. */
export function useOverview() {
  const hasMoney = useScopes('billing:read');
  const operates = useScopes('operator:read');
  const seesAccounts = useScopes('operator:manage');
  const networks = useQuery({
    queryKey: ['networks'],
    queryFn: ({ signal }) => account.listNetworks({ signal }),
    refetchInterval: REFRESH_MS,
  });
  const own = useQuery({
    queryKey: ['account'],
    queryFn: ({ signal }) => account.getAccount({ signal }),
    enabled: hasMoney,
  });
  const keys = useQuery({
    queryKey: ['keys', 'newest'],
    queryFn: ({ signal }) => account.listKeys({ limit: NEWEST }, { signal }),
  });
  const tokens = useQuery({
    queryKey: ['tokens', 'newest'],
    queryFn: ({ signal }) => account.listTokens({ limit: NEWEST }, { signal }),
  });
  const webhooks = useQuery({
    queryKey: ['webhooks'],
    queryFn: async ({ signal }) => (await account.listWebhooks({ signal })).webhooks,
    refetchInterval: REFRESH_MS,
  });
  const requests = useQuery({
    queryKey: ['open-limit-requests'],
    queryFn: ({ signal }) => account.listOpenLimitRequests({}, { signal }),
    enabled: operates,
  });
  const inNeed = useQuery({
    queryKey: ['accounts-in-need'],
    queryFn: async ({ signal }) =>
      (await account.listAccounts({ only: 'needs_credit_limit' }, { signal })).accounts.length,
    enabled: seesAccounts,
  });
  const availability = useAvailability();
  const { settings, invoices } = useBilling({ isAllowed: hasMoney });
  const all = [
    ...[networks, own, keys, tokens, webhooks],
    ...[requests, inNeed, availability, settings, invoices],
  ];
  return {
    ...{ networks, own, keys, tokens, webhooks },
    ...{ requests, inNeed, availability, settings, invoices },
    isReading: all.some(({ isLoading }) => isLoading),
  };
}
