import type { Network } from './start-network.ts';

const LOCALNET_DEADLINE_MS = 15_000;

/** Waits for each network's own child. @returns false if one is not ready in time; it stays supervised. */
export async function waitForNetworks(networks: readonly Pick<Network, 'started'>[]): Promise<boolean> {
  const deadline = Promise.withResolvers<false>();
  const timer = setTimeout(() => deadline.resolve(false), LOCALNET_DEADLINE_MS);
  const started = Promise.all(networks.map((network) => network.started)).then(() => true);
  const hasLedger = await Promise.race([started, deadline.promise]);
  clearTimeout(timer);
  return hasLedger;
}
