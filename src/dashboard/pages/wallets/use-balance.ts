import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { callLedger } from '../../calls/call-ledger.ts';
import { watchBalance } from '../../calls/watch-slots.ts';

/** Key of the query that holds the balance of an address, in lamports. */
export const balanceKey = (rpcPath: string, address: string) =>
  ['ledger', rpcPath, 'balance', address] as const;

/** Reads the confirmed balance of an address. */
export function useBalance(rpcPath: string, address: string) {
  return useQuery({
    queryKey: balanceKey(rpcPath, address),
    queryFn: () =>
      callLedger(
        rpcPath,
        async (ledger) => (await ledger.getBalance(address, { commitment: 'confirmed' })).value,
      ),
  });
}

/** Reads the confirmed balance of an address and keeps it up to date as long as it is shown. */
export function useLiveBalance(rpcPath: string, address: string) {
  const client = useQueryClient();
  useEffect(() => {
    const leaving = new AbortController();
    const queryKey = balanceKey(rpcPath, address);
    void watchBalance(rpcPath, address, {
      onBalance: (lamports) => {
        // A pending read may return an older balance.
        void client.cancelQueries({ queryKey });
        client.setQueryData(queryKey, lamports);
      },
      // Missed changes are read once the connection is back.
      onLost: () => void client.invalidateQueries({ queryKey }),
      signal: leaving.signal,
    });
    return () => leaving.abort();
  }, [client, rpcPath, address]);
  return useBalance(rpcPath, address);
}
