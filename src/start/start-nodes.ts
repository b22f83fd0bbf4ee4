import type { Logger } from 'pino';
import type { Config } from '../../generated/config.ts';
import type { NetworkConfig } from '../config/network-config.ts';
import type { NetworkDrift } from '../ledger/drift/network-drift.ts';
import { nodeName } from '../config/node-name.ts';
import { startEmbeddedLedger } from './embedded-ledger.ts';
import { createPaceMeter } from '../upstream/nodes/measure-pace.ts';
import { joinNodes, type LedgerNodes } from '../upstream/nodes/ledger-nodes.ts';
import { NodeWatch } from '../upstream/nodes/node-watch.ts';
import { Pace } from '../upstream/nodes/pace.ts';
import { connectNode, type NodeOptions, type WrapOptions, wrapUpstream } from '../upstream/open-upstream.ts';
import { pubsubAddresses } from '../config/pubsub-address.ts';
import type { PubsubNode } from '../upstream/pubsub-link.ts';
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
  readonly close: () => Promise<void>;
};

export type NodeParts = {
  readonly drift: NetworkDrift;
  readonly wrap: WrapOptions;
  readonly node: NodeOptions;
  readonly log: Logger;
};

/** The name of the embedded ledger. */
const EMBEDDED = 'localnet';

/** Connects a network to its nodes, or starts an embedded ledger for it, and reads the nodes' versions. */
export function startNodes(
  { upstreams }: Pick<NetworkConfig, 'upstreams'>,
  localnet: Config['localnet'],
  parts: NodeParts,
): NetworkNodes {
  return upstreams.length === 0 ? startEmbedded(localnet, parts) : connect(upstreams, parts);
}

function startEmbedded(settings: Config['localnet'], { wrap, node, log }: NodeParts): NetworkNodes {
  const embedded = startEmbeddedLedger({ settings, node }, log);
  const watch = new NodeWatch({ name: EMBEDDED, upstream: embedded.upstream });
  const nodes = joinNodes([{ watch, upstream: watch.upstream }]);
  void embedded.ready.then(nodes.start);
  return {
    ...{ nodes, child: embedded.child, started: embedded.ready, close: nodes.close },
    upstream: wrapUpstream(nodes.upstream, wrap),
    pubsubNodes: () =>
      embedded
        .nodes()
        .map((each) => ({ ...each, upstream: wrapUpstream(each.upstream, wrap), known: watch })),
    pace: new Pace(() => performance.now(), settings.slot_ms),
  };
}

function connect(upstreams: NetworkConfig['upstreams'], { drift, wrap, node }: NodeParts): NetworkNodes {
  const each = upstreams.map((upstream, index) => {
    const { url, ws_url: wsUrl } = upstream;
    const watch = new NodeWatch({ name: nodeName(upstream, index), upstream: connectNode(url, node) });
    const reached = { addresses: pubsubAddresses({ url, wsUrl }), upstream: watch.upstream, known: watch };
    return { watch, ...drift.watchNode(reached, { nodeName: watch.name, version: () => watch.version }) };
  });
  const nodes = joinNodes(each);
  const pace = new Pace(() => performance.now());
  const meter = createPaceMeter(
    each.map(({ watch }) => watch.upstream),
    pace,
  );
  nodes.start();
  meter.start();
  const pubsubNodes = each.map((one) => ({ ...one, upstream: wrapUpstream(one.upstream, wrap) }));
  return {
    ...{ nodes, pace, child: undefined, started: Promise.resolve() },
    upstream: wrapUpstream(nodes.upstream, wrap),
    pubsubNodes: () => pubsubNodes,
    close: async () => {
      meter.stop();
      await nodes.close();
    },
  };
}
