import type { NetworkConfig } from './context.ts';
import type { Readiness } from './server/http/operations.ts';
import { toServiceError } from './service-error.ts';
import type { Store } from './store/open-store.ts';

/** One network as `/readyz` sees it. */
export type WatchedNetwork = {
  readonly config: NetworkConfig;
  /** `ready`, or what is wrong. */
  readonly probe: () => Promise<string>;
  /** The embedded ledger's process, if the network has no other node. */
  readonly child: { readonly state: string; readonly restarts: number } | undefined;
};

/** The store as `/readyz` sees it. */
export type WatchedStore = Pick<Store, 'kind' | 'ping'>;

/** Reads the state of everything that a request needs: every network's nodes, and the store. */
export async function readReadiness(
  networks: readonly WatchedNetwork[],
  store: WatchedStore,
): Promise<Readiness> {
  const [storeState, ...networkStates] = await Promise.all([readStore(store), ...networks.map(readNetwork)]);
  const isReady = storeState.state === 'ready' && networkStates.every(({ upstream }) => upstream === 'ready');
  return { isReady, parts: { store: storeState, networks: networkStates } };
}

async function readNetwork({ config, probe, child }: WatchedNetwork) {
  const { name, environment } = config;
  const localnet = child === undefined ? {} : { localnet: { state: child.state, restarts: child.restarts } };
  return { name, environment, upstream: await probe(), ...localnet };
}

async function readStore(store: WatchedStore) {
  try {
    await store.ping();
    return { kind: store.kind, state: 'ready' };
  } catch (error) {
    return { kind: store.kind, state: toServiceError(error).code };
  }
}
