import { spreadCalls } from '../spread-calls.ts';
import type { Upstream } from '../upstream.ts';
import type { NodeStatus, NodeWatch } from './node-watch.ts';

/** `some`: a node has it; `unknown`: perhaps one has; `none`: all are known to be older. */
export type Support = 'some' | 'unknown' | 'none';

/** What is known of the versions of a network's nodes. */
export type NodeVersions = {
  /** Whether there is a node with what came with a version (`4.4`). */
  readonly support: (since: string) => Support;
  /** The versions as the nodes say them, each once. */
  readonly versions: () => readonly string[];
  /** Resolves when no version is being asked for, and a moment later at the latest. */
  readonly settled: () => Promise<void>;
};

/** The nodes of a network as one, and what is known of each. */
export type LedgerNodes = NodeVersions & {
  /** Calls go to all of them in turn; what only newer nodes know goes to none that is known to be older. */
  readonly upstream: Upstream;
  readonly statuses: () => readonly NodeStatus[];
  /** Asks them for their versions until it is closed. */
  readonly start: () => void;
  readonly close: () => Promise<void>;
};

/** A node, and what is known of it. */
export type WatchedNode = { readonly watch: NodeWatch; readonly upstream: Upstream };

/** Takes the nodes of a network together. */
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
