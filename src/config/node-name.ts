import type { NetworkConfig } from './network-config.ts';

/**
 * Returns the name of a node in metrics, logs, `/readyz` and `keyslot nodes`: its setting, or `node-` and its position in the
 * list, from 1.
 */
export function nodeName({ name }: NetworkConfig['upstreams'][number], index: number): string {
  return name ?? `node-${index + 1}`;
}
