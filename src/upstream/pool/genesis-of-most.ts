import type { PoolNode } from './pool-node.ts';

/**
 * Returns the genesis hash that most nodes have, the first one's among equals. The known one stays while any node has it, or had it and
 * does not say it now, or may have it. It is settled when each node has been asked, or is down.
 */
export function genesisOfMost(
  nodes: readonly PoolNode[],
  known: string | undefined,
): { readonly hash: string | undefined; readonly isSettled: boolean } {
  const counts = new Map<string, number>();
  for (const { genesis } of nodes.map(({ health }) => health))
    if (genesis.kind === 'hash') counts.set(genesis.hash, (counts.get(genesis.hash) ?? 0) + 1);
  const isOpen = nodes.some(
    ({ health: { genesis, lastHash } }) =>
      genesis.kind === 'unasked' || (genesis.kind === 'unstated' && lastHash === known),
  );
  if (known !== undefined && (isOpen || counts.has(known))) return { hash: known, isSettled: true };
  const most = Math.max(0, ...counts.values());
  const hash = [...counts].find(([, count]) => count === most)?.[0];
  return { hash, isSettled: nodes.every(({ health }) => health.genesis.kind !== 'unasked' || health.isOpen) };
}
