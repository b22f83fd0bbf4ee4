import type { NodeVersions } from '../../src/upstream/nodes/ledger-nodes.ts';

/** Nodes of whose versions nothing is known, for a ledger that is tested without any. */
export const UNKNOWN_NODES: { readonly nodes: NodeVersions; readonly onUnordered: () => void } = {
  nodes: { support: () => 'unknown', versions: () => [], settled: async () => undefined },
  onUnordered: () => undefined,
};
