import { spreadCalls } from '../spread-calls.ts';
import type { Upstream } from '../upstream.ts';
import type { NodeStatus, NodeWatch } from './node-watch.ts';

/** `some`: a node supports it; `unknown`: a node may; `none`: all nodes are known to be older. */
export type Support = 'some' | 'unknown' | 'none';

/** The known versions of a network's nodes. */
export type NodeVersions = {
  /** Reports whether a node supports the features of a version (`4.4`). */
  readonly support: (since: string) => Support;
  /** Returns the versions as the nodes report them, without duplicates. */
  readonly versions: () => readonly string[];
  /** Resolves when no version request is pending, and after a short wait at the latest. */
  readonly settled: () => Promise<void>;
};

/** The nodes of a network as one, with their versions. */
export type LedgerNodes = NodeVersions & {
  /** Sends calls to the nodes in rotation; a call that needs a newer node skips those known to be older. */
  readonly upstream: Upstream;
  readonly statuses: () => readonly NodeStatus[];
  /** Asks the nodes for their versions until it is closed. */
  readonly start: () => void;
  readonly close: () => Promise<void>;
};

/** A node and its version watch. */
export type WatchedNode = { readonly watch: NodeWatch; readonly upstream: Upstream };

/** Joins the nodes of a network into one. */
export function joinNodes(nodes: readonly WatchedNode[]): LedgerNodes {
  const watches = nodes.map(({ watch }) => watch);
  const upstream = spreadCalls(
    nodes.map((node) => ({ upstream: node.upstream, has: (since) => node.watch.has(since) })),
  );
  return {
    upstream,
    support: (since) => {
      const known = watches.map((watch) => watch.has(since));
      if (known.includes(true)) return 'some';
      return known.includes(undefined) ? 'unknown' : 'none';
    },
    versions: () => [...new Set(watches.flatMap(({ version }) => version ?? []))],
    statuses: () => watches.map((watch) => watch.status()),
    settled: async () => {
      await Promise.all(watches.map((watch) => watch.settled()));
    },
    start: () => {
      for (const watch of watches) watch.start();
    },
    close: async () => {
      for (const watch of watches) watch.stop();
      await upstream.close();
    },
  };
}
