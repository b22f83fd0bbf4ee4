import type { Logger } from 'pino';
import type { Config } from '../../generated/config.ts';
import type { Tracing } from '../base/tracing.ts';
import type { NetworkConfig } from '../config/network-config.ts';
import type { NetworkDrift } from '../ledger/drift/network-drift.ts';
import { nodeName } from '../config/node-name.ts';
import { startEmbeddedLedger } from './embedded-ledger.ts';
import { createPaceMeter, type PaceMeter } from '../upstream/nodes/measure-pace.ts';
import { joinNodes, type LedgerNodes } from '../upstream/nodes/ledger-nodes.ts';
import { NodeWatch } from '../upstream/nodes/node-watch.ts';
import { Pace } from '../upstream/nodes/pace.ts';
import type { PoolSettings } from '../upstream/pool/pool-settings.ts';
import type { FailoverReason } from '../upstream/pool/read-in-turn.ts';
import { createStandingLog } from './standing-log.ts';
import {
  connectNode,
  type NodeOptions,
  type WrapOptions,
  wrapPool,
  wrapUpstream,
} from '../upstream/open-upstream.ts';
import { pubsubAddresses } from '../config/pubsub-address.ts';
import type { PubsubNode } from '../upstream/pubsub-link.ts';
import { withNodeSpans } from '../upstream/with-node-spans.ts';
import type { BatchUpstream } from '../upstream/with-batches.ts';

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
  const { wrap, node, log, tracing, ledgerDirectory: directory } = parts;
  const embedded = startEmbeddedLedger({ settings, node, directory }, log);
  const watch = new NodeWatch({ name: EMBEDDED, upstream: embedded.upstream });
  const pace = new Pace(() => performance.now(), settings.slot_ms);
  const nodes = joinNodes([{ watch, upstream: withNodeSpans(watch.upstream, EMBEDDED, tracing) }], {
    slotMs: () => pace.slotMs,
  });
  void embedded.ready.then(nodes.start);
  return {
    ...{ nodes, child: embedded.child, started: embedded.ready, close: nodes.close },
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
    ...{ nodes, pace, child: undefined, started: Promise.resolve() },
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
