import type { TestProject } from 'vitest/node';
import { startKeyslot, startLocalnet } from '../support/keyslot.ts';
import { addCredit, createToken } from '../support/wallet-account.ts';
import { SLOT_MS } from '../support/slot-ms.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** JSON-RPC address of the server that all client suites share, with its API key. */
    readonly rpcUrl: string;
    /** Address of its topic streams. */
    readonly grpcUrl: string;
    /** JSON-RPC address of an embedded ledger of its own, with no gateway before it. */
    readonly ledgerUrl: string;
    /** Address of the same server, and an access token of an account that has money. */
    readonly baseUrl: string;
    readonly accessToken: string;
  }
}

/** Starts one server, and an embedded ledger without one, for all client suites of a run. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const [server, ledger] = await Promise.all([
    startKeyslot({ env: { KEYSLOT_LOCALNET_SLOT_MS: SLOT_MS } }),
    startLocalnet({ args: ['--slot-ms', SLOT_MS] }),
  ]);
  const { token } = await createToken(server.dataDir, 'clients');
  await addCredit(server.dataDir, 'clients', '10');
  project.provide('rpcUrl', server.rpcUrl);
  project.provide('grpcUrl', server.grpcUrl);
  project.provide('ledgerUrl', ledger.rpcUrl);
  project.provide('baseUrl', server.baseUrl);
  project.provide('accessToken', token);
  return async () => {
    await Promise.all([server.stop(), ledger.stop()]);
  };
}
