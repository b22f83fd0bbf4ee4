import type { LedgerOptions } from '../../src/gateway/ledger/ledger.ts';

/** Nodes of whose versions nothing is known, for a ledger that is tested without any. */
export const UNKNOWN_NODES: Pick<LedgerOptions, 'nodes' | 'onUnordered' | 'onUnknownMethod'> = {
  nodes: { support: () => 'unknown', versions: () => [], settled: async () => undefined },
  onUnordered: () => undefined,
  onUnknownMethod: () => undefined,
};
