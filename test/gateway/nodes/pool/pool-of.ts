import { joinNodes } from '../../../../src/gateway/nodes/network/ledger-nodes.ts';
import type { PoolOptions } from '../../../../src/gateway/nodes/pool/node-pool.ts';
import type { WatchedNode } from '../../../../src/gateway/nodes/pool/pool-node.ts';

type PoolMember = Omit<WatchedNode, 'watch'> & {
  /** True if it has a version; default: unknown. */
  readonly has?: (since: string) => boolean | undefined;
};

/** A pool of nodes of whose version is known what a test says. */
export function poolOf(members: readonly PoolMember[], options: Partial<PoolOptions> = {}) {
  return joinNodes(members.map(memberOf), options);
}

export function memberOf({ has = () => undefined, ...member }: PoolMember, index: number): WatchedNode {
  const name = `node-${index + 1}`;
  const watch = {
    name,
    upstream: member.upstream,
    has,
    version: undefined,
    status: () => ({ name, version: null, featureSet: null, isOrdered: false, isReachable: true }),
    start: () => undefined,
    stop: () => undefined,
    settled: async () => undefined,
  };
  return { ...member, watch };
}
