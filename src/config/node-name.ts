import type { NetworkConfig } from './network-config.ts';

/** What a node is called in metrics, logs, `/readyz` and `keyslot nodes`: by its setting, else by its place in the list, from 1. */
export function nodeName({ name }: NetworkConfig['upstreams'][number], index: number): string {
  return name ?? `node-${index + 1}`;
}
