import type { Logger } from 'pino';
import type { Config } from '../../generated/config.ts';
import type { NetworkConfig } from '../config/network-config.ts';
import type { LogFailure } from '../gate/failure-log.ts';
import type { Metrics } from '../gate/metrics.ts';
import { createNodeMetrics, type NodeMetrics } from '../gate/node-metrics.ts';
import { withObservation } from '../gate/with-observation.ts';
import type { DriftGuard } from '../ledger/drift/drift-guard.ts';
import type { NetworkDrift } from '../ledger/drift/network-drift.ts';
import { type AnswerCache, createAnswerCache } from '../ledger/cache/answer-cache.ts';
import { type CacheOutcome, withCache } from '../ledger/cache/with-cache.ts';
import { createLedger, type Ledger } from '../ledger/ledger.ts';
import type { WatchedNetwork } from './readiness.ts';
import { Hub } from '../ledger/subscriptions/hub.ts';
import { withSubscriptions } from '../ledger/subscriptions/with-subscriptions.ts';
import { textFrame } from '../server/websocket/text-frame.ts';
import type { SubscriptionMetrics } from '../ledger/subscriptions/subscription-counts.ts';
import { createSubscriptionMetrics } from '../gate/subscription-metrics.ts';
import { toServiceError } from '../base/service-error.ts';
import { startNodes } from './start-nodes.ts';
import type { LedgerNodes } from '../upstream/nodes/ledger-nodes.ts';
import type { Pace } from '../upstream/nodes/pace.ts';
import type { NodeOptions } from '../upstream/open-upstream.ts';
import { createProbe } from '../upstream/probe.ts';
import type { Upstream } from '../upstream/upstream.ts';

/** A served network and its backends. */
export type Network = WatchedNetwork & {
  /** `<name>-<environment>`: names the network in paths, metrics and counts. */
  readonly label: string;
  readonly rpcPath: string;
  readonly ledger: Ledger;
  readonly upstream: Upstream;
  /** Its subscriptions. */
  readonly hub: Hub;
  /** Differences between the specification and the answers of its nodes or the calls of its clients. */
  readonly drift: NetworkDrift;
  readonly nodes: LedgerNodes;
  readonly pace: Pace;
  /** Resolves when the network's own child, if it has one, is ready. */
  readonly started: Promise<void>;
  /** Closes its backends; close `hub` first. */
  readonly close: () => Promise<void>;
};

/** A node's WebSocket may be silent for this many slots. */
const QUIET_SLOTS = 4;

export type NetworkObservers = {
  readonly metrics: Metrics;
  readonly logFailure: LogFailure;
  readonly log: Logger;
  readonly driftGuard: DriftGuard;
};

type Shared = NetworkObservers & {
  readonly answers: AnswerCache | undefined;
  readonly subscriptionMetrics: (network: string) => SubscriptionMetrics;
  readonly nodeMetrics: NodeMetrics;
};

/** Connects each configured network to its nodes, or starts an embedded ledger for it. All networks share one cache. */
export function startNetworks(config: Config, observers: NetworkObservers): readonly Network[] {
  const answers = openCache(config, observers.metrics);
  const subscriptionMetrics = createSubscriptionMetrics(observers.metrics.registry);
  const nodeMetrics = createNodeMetrics(observers.metrics.registry);
  const shared = { ...observers, answers, subscriptionMetrics, nodeMetrics };
  return config.networks.map((network) => startNetwork(network, config, shared));
}

function startNetwork(config: NetworkConfig, all: Config, shared: Shared): Network {
  const { metrics, logFailure, log, answers } = shared;
  const { name, environment } = config;
  const label = `${name}-${environment}`;
  const drift = shared.driftGuard.watchNetwork(label);
  const behind = startNodes(config, all.localnet, {
    ...{ drift, log, node: nodeOptions(all) },
    wrap: {
      responseTimeoutMs: all.upstream.response_timeout_ms,
      onRetry: () => metrics.countRetry(label),
    },
  });
  const { nodes, upstream, pace, child } = behind;
  if (child !== undefined) {
    metrics.watchChild(label, () => ({ isReady: child.state === 'ready', restarts: child.restarts }));
  }
  shared.nodeMetrics.watch(label, { statuses: nodes.statuses, pace });
  const onUnordered = (method: string, member: string): void =>
    shared.nodeMetrics.countUnordered(label, method, member);
  const nodeLedger = createLedger({
    ...{ upstream, environment, nodes, onUnordered, onUnknownMethod: drift.noteUnknownMethod },
  });
  const cache = answers && {
    answers,
    network: label,
    generation: () => child?.restarts ?? 0,
    slotMs: () => Math.min(all.cache.slot_ms ?? Infinity, pace.slotMs ?? 0),
    nowMs: () => performance.now(),
    onOutcome: (method: string, outcome: CacheOutcome) => metrics.countCache(label, method, outcome),
  };
  const ledger = cache === undefined ? nodeLedger : withCache(nodeLedger, cache);
  const hub = new Hub({
    connectTimeoutMs: all.upstream.connect_timeout_ms,
    callTimeoutMs: all.upstream.response_timeout_ms,
    silenceMs: () => Math.max(all.upstream.ws_silence_ms, QUIET_SLOTS * (pace.slotMs ?? 0)),
    nodes: behind.pubsubNodes,
    ...{ pace, onUnordered, frame: textFrame, metrics: shared.subscriptionMetrics(label) },
    onFailure: (error) => logFailure(label, toServiceError(error)),
  });
  return {
    config,
    label,
    rpcPath: `/${label}`,
    ledger: withObservation(withSubscriptions(ledger, hub), {
      ...{ metrics, logFailure, network: label },
    }),
    upstream,
    ...{ hub, drift, child, nodes, pace, close: behind.close, started: behind.started },
    probe: createProbe(upstream),
  };
}

/** Creates the cache that all networks share; undefined if it is turned off. */
function openCache({ cache }: Config, metrics: Metrics): AnswerCache | undefined {
  if (cache.max_bytes === 0) return undefined;
  const answers = createAnswerCache(cache.max_bytes);
  metrics.watchCache(answers.sizeBytes);
  return answers;
}

function nodeOptions({ upstream }: Config): NodeOptions {
  return {
    connections: upstream.connections,
    ownClient: upstream.own_client,
    connectTimeoutMs: upstream.connect_timeout_ms,
    bodyTimeoutMs: upstream.body_timeout_ms,
  };
}
