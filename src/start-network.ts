import type { Logger } from 'pino';
import type { Config } from '../generated/config.ts';
import type { NetworkConfig } from './context.ts';
import type { LogFailure } from './gate/failure-log.ts';
import type { Metrics } from './gate/metrics.ts';
import { withObservation } from './gate/with-observation.ts';
import type { DriftGuard } from './ledger/drift/drift-guard.ts';
import type { NetworkDrift } from './ledger/drift/network-drift.ts';
import { withUnknownMethods } from './ledger/drift/with-unknown-methods.ts';
import { type AnswerCache, createAnswerCache } from './ledger/cache/answer-cache.ts';
import { type CacheOutcome, withCache } from './ledger/cache/with-cache.ts';
import { createLedger, type Ledger } from './ledger/ledger.ts';
import type { WatchedNetwork } from './readiness.ts';
import { startEmbeddedLedger } from './upstream/embedded-ledger.ts';
import { Hub } from './ledger/subscriptions/hub.ts';
import { withSubscriptions } from './ledger/subscriptions/with-subscriptions.ts';
import { textFrame } from './server/websocket/text-frame.ts';
import { type SubscriptionMetrics, createSubscriptionMetrics } from './gate/subscription-metrics.ts';
import { toServiceError } from './service-error.ts';
import { connectNode, type NodeOptions, wrapUpstream } from './upstream/open-upstream.ts';
import { nodeNames } from './upstream/node-names.ts';
import { pubsubAddresses } from './upstream/pubsub-address.ts';
import { spreadCalls } from './upstream/spread-calls.ts';
import { createProbe } from './upstream/probe.ts';
import type { Upstream } from './upstream/upstream.ts';

/** A network that is served, and what stands behind it. */
export type Network = WatchedNetwork & {
  /** `<name>-<environment>`: what stands for it in paths, metrics and counts. */
  readonly label: string;
  readonly rpcPath: string;
  readonly ledger: Ledger;
  readonly upstream: Upstream;
  /** Its subscriptions. */
  readonly hub: Hub;
  /** What its nodes answer and its clients call that the specification does not know. */
  readonly drift: NetworkDrift;
  /** Resolves when the network's own child, if it has one, serves. */
  readonly started: Promise<void>;
};

export type NetworkObservers = {
  readonly metrics: Metrics;
  readonly logFailure: LogFailure;
  readonly log: Logger;
  readonly driftGuard: DriftGuard;
};

type Shared = NetworkObservers & {
  readonly answers: AnswerCache | undefined;
  readonly subscriptionMetrics: (network: string) => SubscriptionMetrics;
};

/** Connects each network of the configuration to its nodes, or starts an embedded ledger for it. One cache serves them all. */
export function startNetworks(config: Config, observers: NetworkObservers): readonly Network[] {
  const answers = openCache(config, observers.metrics);
  const subscriptionMetrics = createSubscriptionMetrics(observers.metrics.registry);
  const shared = { ...observers, answers, subscriptionMetrics };
  return config.networks.map((network) => startNetwork(network, config, shared));
}

function startNetwork(config: NetworkConfig, all: Config, shared: Shared): Network {
  const { metrics, logFailure, log, answers } = shared;
  const { name, environment, upstreams } = config;
  const label = `${name}-${environment}`;
  const node = nodeOptions(all);
  const embedded =
    upstreams.length === 0 ? startEmbeddedLedger({ settings: all.localnet, node }, log) : undefined;
  const wrap = {
    responseTimeoutMs: all.upstream.response_timeout_ms,
    onRetry: () => metrics.countRetry(label),
  };
  const drift = shared.driftGuard.watchNetwork(label);
  const names = nodeNames(upstreams.map(({ url }) => url));
  const each = upstreams.map(({ url, ws_url: wsUrl }, index) =>
    drift.watchNode(
      { addresses: pubsubAddresses({ url, wsUrl }), upstream: connectNode(url, node) },
      { nodeName: names[index] ?? '', version: () => undefined },
    ),
  );
  const upstream = wrapUpstream(embedded?.upstream ?? spreadCalls(each.map((one) => one.upstream)), wrap);
  const child = embedded?.child;
  if (child !== undefined) {
    metrics.watchChild(label, () => ({ isReady: child.state === 'ready', restarts: child.restarts }));
  }
  const nodeLedger = createLedger({ upstream, environment });
  const cache = answers && {
    answers,
    network: label,
    generation: () => child?.restarts ?? 0,
    slotMs: Math.min(all.cache.slot_ms, child === undefined ? Infinity : all.localnet.slot_ms),
    nowMs: () => performance.now(),
    onOutcome: (method: string, outcome: CacheOutcome) => metrics.countCache(label, method, outcome),
  };
  const ledger = cache === undefined ? nodeLedger : withCache(nodeLedger, cache);
  const hub = new Hub({
    ...pubsubOptions(all, embedded !== undefined),
    nodes: () =>
      (embedded?.nodes() ?? each).map((one) => ({ ...one, upstream: wrapUpstream(one.upstream, wrap) })),
    frame: textFrame,
    metrics: shared.subscriptionMetrics(label),
    onFailure: (error) => logFailure(label, toServiceError(error)),
  });
  return {
    config,
    label,
    rpcPath: `/${label}`,
    ledger: withObservation(withSubscriptions(withUnknownMethods(ledger, drift.noteUnknownMethod), hub), {
      ...{ metrics, logFailure, network: label },
    }),
    upstream,
    hub,
    drift,
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

/** An embedded ledger may be told to take its time with slots. */
function pubsubOptions({ upstream, localnet }: Config, isEmbedded: boolean) {
  return {
    connectTimeoutMs: upstream.connect_timeout_ms,
    callTimeoutMs: upstream.response_timeout_ms,
    silenceMs: Math.max(upstream.ws_silence_ms, isEmbedded ? 4 * localnet.slot_ms : 0),
  };
}

function nodeOptions({ upstream }: Config): NodeOptions {
  return {
    connections: upstream.connections,
    connectTimeoutMs: upstream.connect_timeout_ms,
    bodyTimeoutMs: upstream.body_timeout_ms,
  };
}
