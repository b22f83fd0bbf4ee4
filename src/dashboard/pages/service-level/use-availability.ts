import { useQuery } from '@tanstack/react-query';
import { account } from '../../calls/account-client.ts';

/** Each minute is added shortly after its end. */
const REFRESH_MS = 60_000;

/** Reads the availability of the wallet service for the account. */
export function useAvailability() {
  return useQuery({
    queryKey: SERVICE_LEVEL_KEY,
    queryFn: ({ signal }) => account.getAvailability({ signal }),
    refetchInterval: REFRESH_MS,
  });
}

/** Key of the query that holds the availability of the wallet service for the account. */
export const SERVICE_LEVEL_KEY = ['availability'] as const;
