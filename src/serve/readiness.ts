import type { NetworkConfig } from '../core/config/network-config.ts';
import {
  type ExcludedParts,
  READINESS_PARTS,
  type ReadinessPart,
  type Readiness,
} from '../server/http/status-routes.ts';
import { toServiceError } from '../core/service-error.ts';
import { showConsensus, showNode, showSlotMs } from '../gateway/nodes/network/show-node.ts';
import type { Store } from '../store/open-store.ts';
import type { LedgerNodes } from '../gateway/nodes/network/ledger-nodes.ts';
import type { SharedStanding } from '../gateway/streams/shared/share-blocks.ts';
import type { Pace } from '../gateway/nodes/network/pace.ts';
import type { WorkersStanding } from './workers/worker-messages.ts';

/** One network as `/readyz` reports it. */
export type WatchedNetwork = {
  readonly config: NetworkConfig;
  /** Returns `ready`, or the problem. */
  readonly probe: () => Promise<string>;
  /** The embedded ledger's process, if the network has no other node. */
  readonly child: { readonly state: string; readonly restarts: number } | undefined;
  readonly nodes: Pick<LedgerNodes, 'statuses' | 'consensus'>;
  readonly pace: Pick<Pace, 'slotMs'>;
};

/** The store as `/readyz` reports it. */
export type WatchedStore = Pick<Store, 'kind' | 'ping'>;

/** The signer as `/readyz` reports it. */
export type WatchedSigner = {
  /** The kind of its key backend. */
  readonly backend: string;
  readonly child: { readonly state: string; readonly restarts: number };
  /** Returns `ready`, or the problem; called only while the child is `ready`. */
  readonly probe: () => Promise<string>;
};

/** The networks whose blocks gateways share. */
export type WatchedTopics = {
  readonly standings: () => readonly ({ readonly network: string } & SharedStanding)[];
};

export type WatchedParts = {
  readonly networks: readonly WatchedNetwork[];
  readonly store: WatchedStore;
  readonly signer: WatchedSigner;
};

/** An excluded part keeps its caller waiting for no longer: a load balancer takes no answer for a bad one. */
const EXCLUDED_WAIT_MS = 1_000;

/**
 * Reads the state of everything that a request needs: every network's nodes, the store and the signer. What is excluded does not count; if it
 * gives no answer within `excludedWaitMs`, it is shown as one that cannot be reached.
 */
export async function readReadiness(
  { networks, store, signer }: WatchedParts,
  excluded: ExcludedParts = new Set(),
  excludedWaitMs = EXCLUDED_WAIT_MS,
): Promise<Readiness> {
  const waitFor = <T>(part: ReadinessPart, answer: Promise<T>, late: T): Promise<T> =>
    excluded.has(part) ? within(excludedWaitMs, answer, late) : answer;
  const [storeState, signerState, ...networkStates] = await Promise.all([
    waitFor('store', readStore(store), {
      kind: store.kind,
      state: 'storeUnavailable',
      reason: 'unreachable',
    }),
    readSigner(signer),
    ...networks.map((network) =>
      readNetwork(network, waitFor('networks', network.probe(), 'upstreamTimeout')),
    ),
  ]);
  const isPartReady = {
    store: storeState.state === 'ready',
    signer: signerState.state === 'ready',
    networks: networkStates.every(({ upstream }) => upstream === 'ready'),
  };
  const unready = READINESS_PARTS.filter((part) => !isPartReady[part]);
  const isEachNodeHealthy = networkStates.every(({ nodes }) =>
    nodes.every(({ standing }) => standing === 'healthy'),
  );
  return {
    isReady: unready.every((part) => excluded.has(part)),
    isDegraded: unready.length > 0 || !isEachNodeHealthy,
    parts: { store: storeState, signer: signerState, networks: networkStates },
  };
}

/** Adds how many workers serve, where this process is one of several: it is degraded while one is missing. */
export function withWorkers(
  readiness: Readiness,
  worker: { readonly standing: () => WorkersStanding } | undefined,
): Readiness {
  if (worker === undefined) return readiness;
  const workers = worker.standing();
  const isDegraded = readiness.isDegraded === true || workers.serving < workers.of;
  return { ...readiness, isDegraded, parts: { workers, ...readiness.parts } };
}

/** Adds where the blocks of topics come from, where gateways share them. Streams continue from either source, so it does not affect readiness. */
export function withTopics(readiness: Readiness, topics: WatchedTopics | undefined): Readiness {
  if (topics === undefined) return readiness;
  const shown = topics
    .standings()
    .map(({ network, source, isReader }) => ({ network, blocks: source, reads_for_all: isReader }));
  return { ...readiness, parts: { ...readiness.parts, topics: shown } };
}

async function readSigner({ backend, child, probe }: WatchedSigner) {
  const state = child.state === 'ready' ? await probe() : child.state;
  return { state, restarts: child.restarts, backend };
}

async function readNetwork({ config, child, nodes, pace }: WatchedNetwork, upstream: Promise<string>) {
  const { name, environment } = config;
  const localnet = child === undefined ? {} : { localnet: { state: child.state, restarts: child.restarts } };
  const known = {
    slot_ms: showSlotMs(pace.slotMs),
    ...showConsensus(nodes.consensus()),
    nodes: nodes.statuses().map(showNode),
  };
  return { name, environment, upstream: await upstream, ...known, ...localnet };
}

async function readStore(store: WatchedStore) {
  try {
    await store.ping();
    return { kind: store.kind, state: 'ready' };
  } catch (error) {
    const { code, context } = toServiceError(error);
    return { kind: store.kind, state: code, reason: context.fault };
  }
}

/** Resolves with the answer, or with `late` if there is none by then. */
async function within<T>(waitMs: number, answer: Promise<T>, late: T): Promise<T> {
  const waited = Promise.withResolvers<T>();
  const timer = setTimeout(() => waited.resolve(late), waitMs);
  try {
    return await Promise.race([answer, waited.promise]);
  } finally {
    clearTimeout(timer);
  }
}
