import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { CONFIG_INTEGERS, type Config } from '../../generated/config.ts';
import { createConnectionMetrics } from '../server/connections/connection-metrics.ts';
import { Connections } from '../server/connections/connections.ts';
import { fitDescriptors, readDescriptorLimit } from '../server/connections/fit-descriptors.ts';
import { trustsPeerOf } from './start-gate.ts';

export type ConnectionParts = {
  readonly config: Pick<Config, 'http' | 'networks' | 'upstream'>;
  readonly registry: Registry;
  readonly log: Pick<Logger, 'debug' | 'warn'>;
  /** The number of files that the process may open; undefined: unknown. */
  readonly descriptors?: number | undefined;
};

/** Files for the store, the signer and the other children, the listeners, the log, and code that is loaded later. */
const RESERVED_DESCRIPTORS = 256;
const DEFAULT = CONFIG_INTEGERS['http.max_connections'].default;

/**
 * Limits client connections on all ports together. Part of the files that the process may open is reserved for the store, the
 * signer and the ledger nodes; limits that do not fit next to that are lowered, which is logged.
 */
export function startConnections({ config, registry, log, ...given }: ConnectionParts): Connections {
  const { max_connections: maxConnections, max_connections_per_address: maxPerAddress } = config.http;
  const descriptors = 'descriptors' in given ? given.descriptors : readDescriptorLimit();
  const ofNodes = Math.min(nodeConnections(config), Math.floor((descriptors ?? 0) / 2));
  const reserved = RESERVED_DESCRIPTORS + ofNodes;
  const fitted = fitDescriptors({ maxConnections, maxPerAddress }, { descriptors, reserved });
  if (fitted.isLowered) {
    const { maxConnections: lowered, maxPerAddress: perAddress } = fitted;
    // A lowered default is not worth a warning at every start.
    log[maxConnections === DEFAULT ? 'debug' : 'warn'](
      { openFiles: descriptors, reserved, perAddress },
      `http.max_connections (KEYSLOT_MAX_CONNECTIONS) is lowered from ${maxConnections} to ${lowered}: the process may open ${descriptors} files, of which ${reserved} are kept for the store, the signer and the ledger nodes; raise the limit of open files (ulimit -n)`,
    );
  }
  const metrics = createConnectionMetrics(registry);
  const connections = new Connections({
    ...fitted,
    isExempt: trustsPeerOf(config),
    onShed: metrics.countShed,
    onRefused: metrics.countRefused,
  });
  metrics.watchConnections(() => ({ open: connections.size, limit: fitted.maxConnections }));
  return connections;
}

/** Returns the most connections to all ledger nodes; the embedded ledger counts as one. They get at most half of all files. */
function nodeConnections({ networks, upstream }: Pick<Config, 'networks' | 'upstream'>): number {
  const nodes = networks.reduce((sum, { upstreams }) => sum + Math.max(1, upstreams.length), 0);
  return nodes * upstream.connections;
}
