import { join } from 'node:path';
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
import { withCallSpans } from '../ledger/with-call-spans.ts';
import { withTrace } from '../ledger/with-trace.ts';
import { OwnReads } from '../ledger/own-reads/own-reads.ts';
import type { WatchedNetwork } from './readiness.ts';
import { Hub } from '../ledger/subscriptions/hub.ts';
import { withSubscriptions } from '../ledger/subscriptions/with-subscriptions.ts';
import { textFrame } from '../server/websocket/text-frame.ts';
import type { SubscriptionMetrics } from '../ledger/subscriptions/subscription-counts.ts';
import { createSubscriptionMetrics } from '../gate/subscription-metrics.ts';
import { toServiceError } from '../base/service-error.ts';
import type { Tracing } from '../base/tracing.ts';
import { type NetworkNodes, startNodes } from './start-nodes.ts';
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
  /** What readers have seen; undefined for an embedded ledger. */
  readonly ownReads: OwnReads | undefined;
  readonly pace: Pace;
  /** Uses other nodes from now on; undefined for an embedded ledger. */
  readonly reconfigure: NetworkNodes['reconfigure'];
  /** Resolves when the network's own child, if it has one, is ready. */
  readonly started: Promise<void>;
  /** Closes its backends; close `hub` first. */
  readonly close: () => Promise<void>;
};

/** A node's WebSocket may be silent for this many slots. */
const QUIET_SLOTS = 4;
/** To leave a node costs every subscription more than another read costs a node. */
const LEAST_PATIENCE_MS = 1_000;

export type NetworkObservers = {
  readonly metrics: Metrics;
  readonly logFailure: LogFailure;
  readonly log: Logger;
  readonly driftGuard: DriftGuard;
  readonly tracing?: Tracing | undefined;
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
  const { metrics, logFailure, log, answers, tracing } = shared;
  const { name, environment } = config;
  const label = `${name}-${environment}`;
  const drift = shared.driftGuard.watchNetwork(label);
  const behind = startNodes(config, all.localnet, {
    ...{ network: label, drift, log, tracing, node: nodeOptions(all), pool: all.upstream },
    onFailover: (node, reason) => shared.nodeMetrics.countFailover(label, node, reason),
    ledgerDirectory: join(all.data_dir, 'localnet', label),
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
  const ownReads = createOwnReads(all.upstream, behind);
  const nodeLedger = createLedger({
    ...{ upstream, environment, nodes, ownReads, onUnordered, onUnknownMethod: drift.noteUnknownMethod },
  });
  const cache = answers && {
    answers,
    network: label,
    generation: () => child?.restarts ?? 0,
    slotMs: () => Math.min(all.cache.slot_ms ?? Infinity, pace.slotMs ?? 0),
    nowMs: () => performance.now(),
    ownReads,
    onOutcome: (method: string, outcome: CacheOutcome) => metrics.countCache(label, method, outcome),
  };
  const traced = withTrace(nodeLedger, servesTraces(all.localnet, behind) ? upstream : undefined);
  const ledger = cache === undefined ? traced : withCache(traced, cache);
  const hub = new Hub({
    connectTimeoutMs: all.upstream.connect_timeout_ms,
    callTimeoutMs: all.upstream.response_timeout_ms,
    silenceMs: () => Math.max(all.upstream.ws_silence_ms, QUIET_SLOTS * (pace.slotMs ?? 0)),
    nodes: behind.pubsubNodes,
    patienceMs: () => Math.max(nodes.patienceMs(), LEAST_PATIENCE_MS),
    genesis: nodes.genesis,
    newestSlot: () => (nodes.isAlone() ? 0 : nodes.best().processed),
    ...{ pace, onUnordered, frame: textFrame, metrics: shared.subscriptionMetrics(label) },
    onFailure: (error) => logFailure(label, toServiceError(error)),
  });
  return {
    config,
    label,
    rpcPath: `/${label}`,
    ledger: withCallSpans(
      withObservation(withSubscriptions(ledger, hub), { metrics, logFailure, network: label }),
      tracing,
    ),
    upstream,
    ...{ hub, drift, child, nodes, pace, ownReads, close: behind.close, started: behind.started },
    reconfigure: behind.reconfigure,
    probe: createProbe(upstream),
  };
}

function servesTraces(
  { cheat_codes: hasCheats, gateway_trace: isPassedOn }: Config['localnet'],
  { child }: NetworkNodes,
): boolean {
  return child !== undefined && hasCheats && isPassedOn;
}

/** An embedded ledger is alone, and never behind itself. */
function createOwnReads(
  { own_reads: isOn, own_reads_wait_ms: waitMs }: Config['upstream'],
  { nodes, pace, child }: NetworkNodes,
): OwnReads | undefined {
  if (child !== undefined) return undefined;
  return new OwnReads({
    ...{ isOn, waitMs, expected: nodes.expected, allHave: nodes.allHave, isAlone: nodes.isAlone },
    slotsIn: (ms) => pace.slotsIn(ms),
    nowMs: () => performance.now(),
  });
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
