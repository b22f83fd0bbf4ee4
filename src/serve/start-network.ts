import { join } from 'node:path';
import type { Logger } from 'pino';
import type { Config } from '../../generated/config.ts';
import type { NetworkConfig } from '../core/config/network-config.ts';
import type { LogFailure } from '../server/access/failure-log.ts';
import type { Metrics } from '../server/access/metrics.ts';
import { createNodeMetrics, type NodeMetrics } from '../gateway/nodes/network/node-metrics.ts';
import type { DriftGuard } from '../gateway/ledger/drift/drift-guard.ts';
import type { NetworkDrift } from '../gateway/ledger/drift/network-drift.ts';
import { type AnswerCache, createAnswerCache } from '../gateway/ledger/cache/answer-cache.ts';
import type { CacheOutcome } from '../gateway/ledger/cache/with-cache.ts';
import type { Ledger } from '../gateway/ledger/ledger.ts';
import { ReadYourWrites } from '../gateway/ledger/read-your-writes/read-your-writes.ts';
import type { WatchedNetwork } from './readiness.ts';
import { Hub } from '../gateway/ledger/subscriptions/hub.ts';
import { textFrame } from '../server/websocket/outbox.ts';
import type { SubscriptionMetrics } from '../gateway/ledger/subscriptions/subscription-counts.ts';
import { createSubscriptionMetrics } from '../gateway/ledger/subscriptions/subscription-metrics.ts';
import { toServiceError } from '../core/service-error.ts';
import type { Tracing } from '../core/tracing.ts';
import { createLedgerPipeline } from './pipelines/ledger-call.ts';
import type { Gate } from './start-gate.ts';
import { type NetworkNodes, startNodes } from './start-nodes.ts';
import type { LedgerNodes } from '../gateway/nodes/network/ledger-nodes.ts';
import type { Pace } from '../gateway/nodes/network/pace.ts';
import type { NodeOptions } from '../gateway/nodes/open-upstream.ts';
import { createProbe } from '../gateway/nodes/probe.ts';
import type { Upstream } from '../gateway/nodes/upstream.ts';

/** A served network and its backends. */
export type Network = WatchedNetwork & {
  /** `<name>-<environment>`: names the network in paths, metrics and counts. */
  readonly label: string;
  readonly rpcPath: string;
  /** Serves its calls, metered and bounded by a gate. */
  readonly openLedger: (
    gate: Pick<Gate, 'count' | 'planOf' | 'onRefusal' | 'callRulesOf' | 'requests'>,
  ) => Ledger;
  readonly upstream: Upstream;
  /** Its subscriptions. */
  readonly hub: Hub;
  /** Differences between the specification and the answers of its nodes or the calls of its clients. */
  readonly drift: NetworkDrift;
  readonly nodes: LedgerNodes;
  /** The state that readers have seen; undefined for an embedded ledger. */
  readonly readYourWrites: ReadYourWrites | undefined;
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
    network: label,
    drift,
    log,
    tracing,
    node: nodeOptions(all),
    pool: all.upstream,
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
  shared.nodeMetrics.watch(label, { statuses: nodes.statuses, consensus: nodes.consensus, pace });
  const onUnordered = (method: string, member: string): void =>
    shared.nodeMetrics.countUnordered(label, method, member);
  const readYourWrites = createReadYourWrites(all.upstream, behind);
  const cache = answers && {
    answers,
    network: label,
    generation: () => child?.restarts ?? 0,
    slotMs: () => Math.min(all.cache.slot_ms ?? Infinity, pace.slotMs ?? 0),
    nowMs: () => performance.now(),
    readYourWrites,
    onOutcome: (method: string, outcome: CacheOutcome) => metrics.countCache(label, method, outcome),
  };
  const hub = new Hub({
    connectTimeoutMs: all.upstream.connect_timeout_ms,
    callTimeoutMs: all.upstream.response_timeout_ms,
    silenceMs: () => Math.max(all.upstream.ws_silence_ms, QUIET_SLOTS * (pace.slotMs ?? 0)),
    nodes: behind.pubsubNodes,
    patienceMs: () => Math.max(nodes.patienceMs(), LEAST_PATIENCE_MS),
    genesis: nodes.genesis,
    newestSlot: () => (nodes.isAlone() ? 0 : nodes.best().processed),
    pace,
    onUnordered,
    frame: textFrame,
    metrics: shared.subscriptionMetrics(label),
    onFailure: (error) => logFailure(label, toServiceError(error)),
  });
  return {
    config,
    label,
    rpcPath: `/${label}`,
    openLedger: (gate) =>
      createLedgerPipeline({
        metering: { network: label, count: gate.count },
        callRulesOf: gate.callRulesOf,
        bounds: gate,
        tracing,
        observation: { metrics, logFailure, network: label, requests: gate.requests },
        hub,
        cache,
        traced: servesTraces(all.localnet, behind) ? upstream : undefined,
        node: {
          upstream,
          environment,
          nodes,
          readYourWrites,
          onUnordered,
          onUnknownMethod: drift.noteUnknownMethod,
        },
      }),
    upstream,
    hub,
    drift,
    child,
    nodes,
    pace,
    readYourWrites,
    close: behind.close,
    started: behind.started,
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
function createReadYourWrites(
  { own_reads: isOn, own_reads_wait_ms: waitMs }: Config['upstream'],
  { nodes, pace, child }: NetworkNodes,
): ReadYourWrites | undefined {
  if (child !== undefined) return undefined;
  return new ReadYourWrites({
    isOn,
    waitMs,
    expected: nodes.expected,
    allHave: nodes.allHave,
    isAlone: nodes.isAlone,
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
