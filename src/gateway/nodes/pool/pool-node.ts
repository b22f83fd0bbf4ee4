import type { VersionWatch } from '../network/node-watch.ts';
import type { Upstream } from '../upstream.ts';
import { UNJUDGED, type Verdict } from './judge-node.ts';
import { NodeHealth } from './node-health.ts';

/** A use of a node. `archive`: reads of history that other nodes no longer have. */
export type NodeRole = 'read' | 'send' | 'subscribe' | 'archive';

export const NODE_ROLES: readonly NodeRole[] = ['read', 'send', 'subscribe', 'archive'];

/** A node as it joins a pool. */
export type WatchedNode = {
  readonly watch: VersionWatch;
  readonly upstream: Upstream;
  /** Default: all of them. */
  readonly roles?: readonly NodeRole[] | undefined;
  /** Its share of the calls, relative to the other nodes. Default: 1. */
  readonly weight?: number | undefined;
};

/** A node of a pool, and its state. */
export type PoolNode = {
  readonly name: string;
  readonly watch: VersionWatch;
  readonly upstream: Upstream;
  readonly roles: ReadonlySet<NodeRole>;
  readonly weight: number;
  readonly health: NodeHealth;
  verdict: Verdict;
  /** Its claim to the next call: it rises by the weight with each call that another node gets. */
  credit: number;
  /** Called when its circuit opens. */
  onOpen?: () => void;
  /** Called when it reports another consensus than before. */
  onConsensus?: () => void;
};

/** Creates a node of a pool; `known` is the same node from before, whose health is kept. */
export function createPoolNode(
  { watch, upstream, roles = NODE_ROLES, weight = 1 }: WatchedNode,
  known?: PoolNode,
): PoolNode {
  const { health = new NodeHealth(), verdict = UNJUDGED } = known ?? {};
  return { name: watch.name, watch, upstream, roles: new Set(roles), weight, health, verdict, credit: 0 };
}
