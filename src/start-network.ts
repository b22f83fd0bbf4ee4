import type { Logger } from 'pino';
import type { Config } from '../generated/config.ts';
import type { NetworkConfig } from './context.ts';
import type { LogFailure } from './gate/failure-log.ts';
import type { Metrics } from './gate/metrics.ts';
import { withObservation } from './gate/with-observation.ts';
import { type AnswerCache, createAnswerCache } from './ledger/cache/answer-cache.ts';
import { type CacheOutcome, withCache } from './ledger/cache/with-cache.ts';
import { createLedger, type Ledger } from './ledger/ledger.ts';
import type { WatchedNetwork } from './readiness.ts';
import { startEmbeddedLedger } from './upstream/embedded-ledger.ts';
import { connectNodes, type NodeOptions, wrapUpstream } from './upstream/open-upstream.ts';
import { createProbe } from './upstream/probe.ts';
import type { Upstream } from './upstream/upstream.ts';

/** A network that is served, and what stands behind it. */
export type Network = WatchedNetwork & {
  /** `<name>-<environment>`: what stands for it in paths, metrics and counts. */
  readonly label: string;
  readonly rpcPath: string;
  readonly ledger: Ledger;
  readonly upstream: Upstream;
  /** Resolves when the network's own child, if it has one, serves. */
  readonly started: Promise<void>;
};

export type NetworkObservers = {
  readonly metrics: Metrics;
  readonly logFailure: LogFailure;
  readonly log: Logger;
};

type Shared = NetworkObservers & { readonly answers: AnswerCache | undefined };

/** Connects each network of the configuration to its nodes, or starts an embedded ledger for it. One cache serves them all. */
export function startNetworks(config: Config, observers: NetworkObservers): readonly Network[] {
  const shared = { ...observers, answers: openCache(config, observers.metrics) };
  return config.networks.map((network) => startNetwork(network, config, shared));
}

function startNetwork(config: NetworkConfig, all: Config, shared: Shared): Network {
  const { metrics, logFailure, log, answers } = shared;
  const { name, environment, upstreams } = config;
  const label = `${name}-${environment}`;
  const node = nodeOptions(all);
  const embedded =
    upstreams.length === 0 ? startEmbeddedLedger({ ...historyOptions(all), node }, log) : undefined;
  const urls = upstreams.map(({ url }) => url);
  const nodes = embedded?.upstream ?? connectNodes(urls, node);
  const { responseTimeoutMs } = node;
  const upstream = wrapUpstream(nodes, { responseTimeoutMs, onRetry: () => metrics.countRetry(label) });
  const child = embedded?.child;
  if (child !== undefined) {
    metrics.watchChild(label, () => ({ isReady: child.state === 'ready', restarts: child.restarts }));
  }
  const nodeLedger = createLedger({ upstream, environment });
  const cache = answers && {
    answers,
    network: label,
    generation: () => child?.restarts ?? 0,
    onOutcome: (method: string, outcome: CacheOutcome) => metrics.countCache(label, method, outcome),
  };
  const ledger = cache === undefined ? nodeLedger : withCache(nodeLedger, cache);
  return {
    config,
    label,
    rpcPath: `/${label}`,
    ledger: withObservation(ledger, { metrics, logFailure, network: label }),
    upstream,
    child,
    probe: createProbe(upstream),
    started: embedded?.ready ?? Promise.resolve(),
  };
}

/** The cache that all networks share; undefined if it is turned off. */
function openCache({ cache }: Config, metrics: Metrics): AnswerCache | undefined {
  if (cache.max_bytes === 0) return undefined;
  const answers = createAnswerCache(cache.max_bytes);
  metrics.watchCache(answers.sizeBytes);
  return answers;
}

function historyOptions({ localnet }: Config) {
  return {
    slotMs: localnet.slot_ms,
    historySlots: localnet.history_slots,
    historyTransactions: localnet.history_transactions,
  };
}

function nodeOptions({ upstream }: Config): NodeOptions {
  return {
    connections: upstream.connections,
    connectTimeoutMs: upstream.connect_timeout_ms,
    responseTimeoutMs: upstream.response_timeout_ms,
    bodyTimeoutMs: upstream.body_timeout_ms,
  };
}
