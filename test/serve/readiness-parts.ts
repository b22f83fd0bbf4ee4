import { serviceError } from '../../src/core/service-error.ts';
import type { NetworkConfig } from '../../src/core/config/network-config.ts';
import type { WatchedParts } from '../../src/serve/readiness.ts';

/** `silent`: it gives no answer. */
type Standing = 'ready' | 'lost' | 'silent';

type Standings = {
  readonly store?: Standing;
  readonly signer?: Standing;
  /** One for each network. */
  readonly networks?: readonly Standing[];
};

/** Returns the parts of a server, each in the state that a test gives it; ready unless it says so. */
export function partsOf({
  store = 'ready',
  signer = 'ready',
  networks = ['ready'],
}: Standings): WatchedParts {
  return {
    store: { kind: 'postgres', ping: () => answer(store, undefined, storeLost) },
    signer: {
      backend: 'soft',
      child: { state: signer === 'lost' ? 'restarting' : 'ready', restarts: 0 },
      probe: () => answer(signer, 'ready', () => 'signerUnavailable'),
    },
    networks: networks.map((standing, at) => ({
      config: { name: `network-${at}`, environment: 'devnet' } as NetworkConfig,
      probe: () => answer(standing, 'ready', () => 'upstreamUnavailable'),
      child: undefined,
      nodes: { statuses: () => [], consensus: () => ({ kind: 'tower', slot: null }) },
      pace: { slotMs: undefined },
    })),
  };
}

async function answer<T>(standing: Standing, whenReady: T, whenLost: () => T): Promise<T> {
  if (standing === 'silent') return new Promise(() => undefined);
  return standing === 'ready' ? whenReady : whenLost();
}

function storeLost(): never {
  throw serviceError('storeUnavailable', { where: 'the store', reason: 'it is gone', fault: 'unreachable' });
}
