import { useQuery } from '@tanstack/react-query';
import { account } from '../../calls/account-client.ts';
import { SERVICE_LEVEL_KEY } from './service-level-key.ts';

/** A minute is added to it a little after it is over. */
const REFRESH_MS = 60_000;

/** Reads the availability of the wallet service for the account. */
export function useAvailability() {
  return useQuery({
    queryKey: SERVICE_LEVEL_KEY,
    queryFn: ({ signal }) => account.getAvailability({ signal }),
    refetchInterval: REFRESH_MS,
  });
}
