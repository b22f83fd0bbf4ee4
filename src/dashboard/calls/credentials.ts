import type { LedgerClient } from '../../../generated/ledger/client.ts';
import type { WalletClient } from '../../../generated/wallets/client.ts';
import type { ClientOptions, RpcCall } from '../../../runtime/rpc-call.ts';
import { account } from './account-client.ts';
import { keepCredentials, withCredentials } from './keep-credentials.ts';
import { SERVER_ADDRESS } from './places.ts';

/** The ten-minute API key and access token of this page. */
export const credentials = keepCredentials({
  create: () => account.createCredentials(),
  nowMs: () => Date.now(),
});

/** Returns a client of a network by its `rpc_path`. Its code is loaded on first use. */
export async function ledgerOf(rpcPath: string): Promise<LedgerClient> {
  const { createLedgerClient } = await import('../../../generated/ledger/client.ts');
  return createLedgerClient(optionsOf(rpcPath));
}

/** Returns a function that calls methods outside the ledger's specification. Its code is loaded on first use. */
export async function rpcCallOf(rpcPath: string): Promise<RpcCall> {
  const { createRpcCall } = await import('../../../runtime/rpc-call.ts');
  return createRpcCall(optionsOf(rpcPath));
}

function optionsOf(rpcPath: string): ClientOptions {
  return {
    url: `${SERVER_ADDRESS}${rpcPath}`,
    fetch: (target, init) =>
      withCredentials(credentials, ({ api_key }) => {
        const address = new URL(String(target));
        address.searchParams.set('apikey', api_key);
        return fetch(address, { ...init, credentials: 'omit' });
      })(),
  };
}

/** Returns a client of the wallet service. Its code is loaded on first use. */
export async function wallets(): Promise<WalletClient> {
  const { createWalletClient } = await import('../../../generated/wallets/client.ts');
  return createWalletClient({
    url: SERVER_ADDRESS,
    fetch: (target, init) =>
      withCredentials(credentials, ({ access_token }) => {
        const headers = new Headers(init?.headers);
        headers.set('authorization', `Bearer ${access_token}`);
        return fetch(target, { ...init, headers, credentials: 'omit' });
      })(),
  });
}
