import type { RunningKeyslot } from '../../../support/keyslot.ts';

/** Returns a function that calls the ledger with an API key, and answers the status. */
export function ledgerCallOf({ rpcUrl }: RunningKeyslot): (apiKey: string) => Promise<number> {
  return async (apiKey) => {
    const answer = await fetch(rpcUrl.replace(/apikey=.*/, `apikey=${apiKey}`), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'getHealth' }),
    });
    await answer.arrayBuffer();
    return answer.status;
  };
}
