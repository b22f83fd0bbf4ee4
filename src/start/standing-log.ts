import type { Logger } from 'pino';
import type { NodeStanding } from '../upstream/pool/judge-node.ts';
import type { PoolNode } from '../upstream/pool/pool-node.ts';

/**
 * Creates a log of the nodes of a network that go and come. A node that has not been asked for its genesis hash yet is not mentioned: it
 * soon has, or has failed.
 */
export function createStandingLog(log: Logger, network: string): (node: PoolNode) => void {
  const logged = new Map<string, NodeStanding>();
  const stale = new Set<string>();
  return ({ name, health, verdict: { standing, reasons, isStale } }) => {
    if (isStale && !stale.has(name)) log.warn({ network, node: name, reasons }, 'a ledger node is stale');
    if (!isStale && stale.has(name)) log.info({ network, node: name }, 'a ledger node is no longer stale');
    if (isStale) stale.add(name);
    else stale.delete(name);
    const isAsked = standing !== 'unverified' || health.genesis.kind !== 'unasked';
    if (!isAsked || (logged.get(name) ?? 'healthy') === standing) return;
    logged.set(name, standing);
    if (standing === 'healthy') log.info({ network, node: name }, 'a ledger node is healthy again');
    else log.warn({ network, node: name, standing, reasons }, 'a ledger node is not healthy');
  };
}
