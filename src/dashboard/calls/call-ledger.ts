import type { LedgerClient } from '../../../generated/ledger/client.ts';
import { credentials, ledgerOf } from './credentials.ts';

/**
 * Calls a network with credentials of the session. An expired session is a RestCallError, which leads to the sign-in; a refusal by the
 * network is a CallError.
 */
export async function callLedger<T>(rpcPath: string, call: (ledger: LedgerClient) => Promise<T>): Promise<T> {
  await credentials.read();
  return await call(await ledgerOf(rpcPath));
}
