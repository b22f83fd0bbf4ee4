import { onTestFinished } from 'vitest';
import { openWalletServer, type WalletServer, type WalletServerOptions } from './open-wallet-server.ts';

/** Starts a server with a customer who has money and a token for everything. It is stopped, and its data removed, when the test ends. */
export async function startWalletServer(options?: WalletServerOptions): Promise<WalletServer> {
  const server = await openWalletServer(options);
  onTestFinished(server.remove);
  return server;
}
