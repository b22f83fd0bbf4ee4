import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';
import type { Config } from '../../generated/config.ts';
import type { Tracing } from '../core/tracing.ts';
import type { NetworkConfig } from '../core/config/network-config.ts';
import type { NetworkDrift } from '../gateway/ledger/drift/network-drift.ts';
import { nodeName, pubsubAddresses } from '../core/config/node-address.ts';
import { createPaceMeter, type PaceMeter } from '../gateway/nodes/network/measure-pace.ts';
import { joinNodes, type LedgerNodes } from '../gateway/nodes/network/ledger-nodes.ts';
import { NodeWatch } from '../gateway/nodes/network/node-watch.ts';
import { Pace } from '../gateway/nodes/network/pace.ts';
import type { PoolSettings } from '../gateway/nodes/pool/pool-settings.ts';
import type { FailoverReason } from '../gateway/nodes/pool/read-in-turn.ts';
import {
  connectNode,
  type NodeOptions,
  type WrapOptions,
  wrapPool,
  wrapUpstream,
} from '../gateway/nodes/open-upstream.ts';
import type { PubsubNode } from '../gateway/nodes/pubsub-link.ts';
import { withNodeSpans } from '../gateway/nodes/with-node-spans.ts';
import type { BatchUpstream } from '../gateway/nodes/with-batches.ts';
import type { Consensus } from '../gateway/nodes/pool/consensus.ts';
import type { NodeStanding } from '../gateway/nodes/pool/judge-node.ts';
import type { PoolNode } from '../gateway/nodes/pool/pool-node.ts';
import { localnetArguments } from '../core/config/localnet-settings.ts';
import { programUrl } from '../core/program.ts';
import { serviceError } from '../core/service-error.ts';
import type { SupervisedChild } from '../core/process/supervised-child.ts';
import { forkedChild } from '../core/process/forked-child.ts';
import type { Upstream } from '../gateway/nodes/upstream.ts';

/** The nodes behind a network. */
export type NetworkNodes = {
  readonly nodes: LedgerNodes;
  /** All nodes as one upstream, with retries, timeouts and the other wrappers. */
  readonly upstream: BatchUpstream;
  /** The nodes for subscriptions, one by one; empty while an embedded ledger is down. */
  readonly pubsubNodes: () => readonly PubsubNode[];
  readonly pace: Pace;
  /** The embedded ledger's process, if the network has no other node. */
  readonly child: { readonly state: string; readonly restarts: number } | undefined;
  /** Resolves when that child, if there is one, is ready. */
  readonly started: Promise<void>;
  /** Uses other nodes and settings from now on; undefined for an embedded ledger. */
  readonly reconfigure: ((config: NodesConfig, pool: PoolConfig) => void) | undefined;
  readonly close: () => Promise<void>;
};

export type NodesConfig = Pick<NetworkConfig, 'upstreams' | 'genesis_hash'>;
type UpstreamConfig = NetworkConfig['upstreams'][number];

/** The settings of the choice between nodes. */
export type PoolConfig = Pick<Config['upstream'], 'max_lag_ms' | 'patience_ms' | 'hedge_percent' | 'send_to'>;

export type NodeParts = {
  /** `<name>-<environment>`. */
  readonly network: string;
  readonly drift: NetworkDrift;
  readonly wrap: WrapOptions;
  readonly node: NodeOptions;
  readonly pool: PoolConfig;
  /** The folder of an embedded ledger. */
  readonly ledgerDirectory: string;
  readonly log: Logger;
  readonly tracing?: Tracing | undefined;
  /** Called for each read that was sent to another node too. */
  readonly onFailover: (node: string, reason: FailoverReason) => void;
};

/** The name of the embedded ledger. */
const EMBEDDED = 'localnet';

/** Connects a network to its nodes, or starts an embedded ledger for it, and reads the nodes' versions. */
export function startNodes(
  config: NodesConfig,
  localnet: Config['localnet'],
  parts: NodeParts,
): NetworkNodes {
  return config.upstreams.length === 0 ? startEmbedded(localnet, parts) : connect(config, parts);
}

function startEmbedded(settings: Config['localnet'], parts: NodeParts): NetworkNodes {
  const { wrap, node, log, tracing, network, ledgerDirectory: directory } = parts;
  const embedded = startEmbeddedLedger({ settings, node, directory }, log);
  const watch = new NodeWatch({ name: EMBEDDED, upstream: embedded.upstream });
  const pace = new Pace(() => performance.now(), settings.slot_ms);
  const nodes = joinNodes([{ watch, upstream: withNodeSpans(watch.upstream, EMBEDDED, tracing) }], {
    slotMs: () => pace.slotMs,
    onChange: createStandingLog(log, network),
  });
  void embedded.ready.then(nodes.start);
  return {
    nodes,
    child: embedded.child,
    started: embedded.ready,
    close: nodes.close,
    upstream: wrapPool(nodes.upstream, wrap),
    pubsubNodes: () =>
      embedded
        .nodes()
        .map((each) => ({ ...each, upstream: wrapUpstream(each.upstream, wrap), known: watch })),
    pace,
    reconfigure: undefined,
  };
}

function connect(config: NodesConfig, parts: NodeParts): NetworkNodes {
  const { wrap, log, network, onFailover } = parts;
  const pace = new Pace(() => performance.now());
  let each = config.upstreams.map((upstream, index) => connectUpstream(upstream, index, parts));
  const nodes = joinNodes(each, {
    settings: poolSettings(config, parts.pool, parts.wrap),
    slotMs: () => pace.slotMs,
    onChange: createStandingLog(log, network),
    onConsensus: createConsensusLog(log, network),
    onFailover: ({ name }, reason) => onFailover(name, reason),
  });
  const measure = (): PaceMeter => {
    const meter = createPaceMeter(
      each.map(({ watch }) => watch.upstream),
      pace,
    );
    meter.start();
    return meter;
  };
  nodes.start();
  let meter = measure();
  return {
    nodes,
    pace,
    child: undefined,
    started: Promise.resolve(),
    upstream: wrapPool(nodes.upstream, wrap),
    pubsubNodes: () =>
      each.flatMap(({ watch, pubsub }) => {
        const rank = nodes.pubsubRank(watch);
        const isForeign = (): boolean => nodes.isForeign(watch);
        const noteSilence = (): void => nodes.noteSilence(watch);
        const noteGenesis = (hash: string): void => nodes.noteGenesis(watch, hash);
        return rank === undefined ? [] : [{ ...pubsub, rank, noteSilence, noteGenesis, isForeign }];
      }),
    reconfigure: (next, pool) => {
      const before = each;
      const known = new Map(before.map((one) => [one.key, one]));
      each = next.upstreams.map((upstream, index) => {
        const kept = known.get(keyOf(upstream, index));
        return kept === undefined
          ? connectUpstream(upstream, index, parts)
          : withShare(kept, shareOf(upstream));
      });
      nodes.replace(each, poolSettings(next, pool, parts.wrap));
      for (const { leaving } of before) if (!each.some((one) => one.leaving === leaving)) leaving.abort();
      meter.stop();
      meter = measure();
    },
    close: async () => {
      meter.stop();
      await nodes.close();
    },
  };
}

function connectUpstream(upstream: UpstreamConfig, index: number, { drift, wrap, node, tracing }: NodeParts) {
  const { url, ws_url: wsUrl } = upstream;
  const watch = new NodeWatch({ name: nodeName(upstream, index), upstream: connectNode(url, node) });
  const reached = { addresses: pubsubAddresses({ url, wsUrl }), upstream: watch.upstream, known: watch };
  const watched = drift.watchNode(reached, { nodeName: watch.name, version: () => watch.version });
  const pubsub = leavable({ ...watched, upstream: wrapUpstream(watched.upstream, wrap) });
  const spanned = withNodeSpans(watched.upstream, watch.name, tracing);
  return { watch, upstream: spanned, ...pubsub, key: keyOf(upstream, index), ...shareOf(upstream) };
}

function leavable(node: PubsubNode) {
  const leaving = new AbortController();
  return { pubsub: { ...node, left: leaving.signal }, leaving };
}

type ConnectedNode = ReturnType<typeof connectUpstream>;

/** The same connections with other roles. Subscriptions leave a node that takes them no longer; it may take new ones again later. */
function withShare(node: ConnectedNode, share: ReturnType<typeof shareOf>): ConnectedNode {
  const isLeft = takesSubscriptions(node) && !takesSubscriptions(share);
  return { ...node, ...share, ...(isLeft ? leavable(node.pubsub) : {}) };
}

function takesSubscriptions({ roles }: Pick<UpstreamConfig, 'roles'>): boolean {
  return roles.includes('subscribe');
}

/** Two nodes with the same key are the same connections. */
function keyOf(upstream: UpstreamConfig, index: number): string {
  return JSON.stringify([nodeName(upstream, index), upstream.url, upstream.ws_url]);
}

function shareOf({ roles, weight }: UpstreamConfig) {
  return { roles, weight };
}

function poolSettings(
  { genesis_hash: genesisHash }: NodesConfig,
  pool: PoolConfig,
  { responseTimeoutMs }: WrapOptions,
): PoolSettings {
  return {
    maxLagMs: pool.max_lag_ms,
    patienceMs: Math.min(pool.patience_ms, responseTimeoutMs / 2),
    hedgeShare: pool.hedge_percent / 100,
    sendAtOnce: pool.send_to,
    genesisHash,
  };
}

/**
 * Creates a log of the nodes of a network that go and come. A node that has not been asked for its genesis hash yet is not mentioned: it
 * soon has, or has failed.
 */
export function createStandingLog(log: Logger, network: string): (node: PoolNode) => void {
  const logged = new Map<string, NodeStanding>();
  const still = new Map<string, 'stale' | 'paused'>();
  return ({ name, health, verdict: { standing, reasons, isStale, isPaused } }) => {
    const before = still.get(name);
    if (isStale && before !== 'stale') log.warn({ network, node: name, reasons }, 'a ledger node is stale');
    if (isPaused && before !== 'paused')
      log.info({ network, node: name, reasons }, 'a ledger node is paused, as it was told');
    if (!isStale && !isPaused && before !== undefined)
      log.info({ network, node: name }, `a ledger node is no longer ${before}`);
    if (isStale || isPaused) still.set(name, isStale ? 'stale' : 'paused');
    else still.delete(name);
    const isAsked = standing !== 'unverified' || health.genesis.kind !== 'unasked';
    if (!isAsked || (logged.get(name) ?? 'healthy') === standing) return;
    logged.set(name, standing);
    if (standing === 'healthy') log.info({ network, node: name }, 'a ledger node is healthy again');
    else log.warn({ network, node: name, standing, reasons }, 'a ledger node is not healthy');
  };
}

/** Creates a log of the consensus that the nodes of a network report. */
function createConsensusLog(log: Logger, network: string): (consensus: Consensus) => void {
  return ({ kind, slot }) =>
    log.info({ network, consensus: kind, alpenglow_from: slot }, 'consensus of the network');
}

type ReachedNode = Pick<PubsubNode, 'addresses' | 'upstream'>;

/** The embedded ledger node: a child process, reached over loopback like any other node. Its WebSocket is on its HTTP port. */
type EmbeddedLedger = {
  readonly upstream: Upstream;
  /** The same node with its WebSocket; empty while it is down. */
  readonly nodes: () => readonly ReachedNode[];
  readonly child: SupervisedChild<number>;
  /** Resolves when the child is ready for the first time. */
  readonly ready: Promise<void>;
};

const MODULE = fileURLToPath(programUrl(new URL('../localnet/main.ts', import.meta.url)));

type EmbeddedLedgerOptions = {
  readonly settings: Config['localnet'];
  /** The folder in which the ledger is kept, unless it is ephemeral. */
  readonly directory: string;
  readonly node: NodeOptions;
};

/** Starts the embedded ledger. While it is down, calls get `upstreamUnavailable`. `close` stops the child. */
function startEmbeddedLedger(options: EmbeddedLedgerOptions, log: Logger): EmbeddedLedger {
  const firstReady = Promise.withResolvers<void>();
  let node: ReachedNode | undefined;
  const replaceNode = (next: ReachedNode | undefined): void => {
    const previous = node;
    node = next;
    previous?.upstream
      .close()
      .catch((error: unknown) => log.warn({ err: error }, 'closing connections to localnet failed'));
  };
  const child = forkedChild(
    {
      name: 'localnet',
      modulePath: MODULE,
      args: ['--rpc-port', '0', ...switches(options), ...localnetArguments(options.settings)],
      onReady: (port) => {
        const url = `http://127.0.0.1:${port}/`;
        if (options.settings.cheat_codes) log.info({ url }, 'the embedded ledger serves cheat codes here');
        const [address = ''] = pubsubAddresses({ url });
        replaceNode({ addresses: [address], upstream: connectNode(url, options.node) });
        firstReady.resolve();
      },
      onDown: () => replaceNode(undefined),
    },
    log,
  );
  child.start();
  const upstream: Upstream = {
    send: async (request) => {
      if (node === undefined) throw serviceError('upstreamUnavailable');
      return node.upstream.send(request);
    },
    close: async () => {
      await node?.upstream.close();
      await child.stop();
    },
  };
  return { upstream, nodes: () => (node === undefined ? [] : [node]), child, ready: firstReady.promise };
}

/** The options that are no number. */
function switches({ settings, directory }: EmbeddedLedgerOptions): readonly string[] {
  return [
    ...(settings.ephemeral ? [] : ['--ledger', directory]),
    settings.votes === true ? '--votes' : '--no-votes',
    ...(settings.cheat_codes ? ['--cheat-codes'] : []),
  ];
}
