import type { NetworkConsensus } from '../../../generated/account/types.ts';
import type { Session } from '../../../generated/account/types.ts';

/** A network that this server serves. */
export type Network = Session['networks'][number];

/** Returns the name of a network in the addresses of pages, such as solana-localnet. */
export function slugOf({ rpc_path }: Pick<Network, 'rpc_path'>): string {
  return rpc_path.replace(/^\//, '');
}

/** Returns the network with this name in the addresses of pages; undefined if none has it. */
export function findNetwork(networks: readonly Network[], slug: string | undefined): Network | undefined {
  return networks.find((network) => slugOf(network) === slug);
}

/** Returns the name of a network for people. */
export function nameOf({ name, environment }: Pick<Network, 'name' | 'environment'>): string {
  return `${name}, ${environment}`;
}

/** Returns the address of the page about an address, a signature or a slot. */
export function explorerPath(network: Pick<Network, 'rpc_path'>, what: string | bigint): string {
  return `/explorer/${slugOf(network)}/${what}`;
}

/** Returns the address of the page that explains a transaction, or asks for one. */
export function tracePath(network: Pick<Network, 'rpc_path'>, signature?: string): string {
  return `${explorerPath(network, 'trace')}${signature === undefined ? '' : `/${signature}`}`;
}

/** True if lamports of the network have no value: then the dashboard can send and request them. */
export function isTestNetwork({ environment }: Pick<Network, 'environment'>): boolean {
  return environment !== 'mainnet';
}

/** The names of consensus algorithms. */
export const CONSENSUS_NAMES: Readonly<Record<NetworkConsensus, string>> = {
  alpenglow: 'Alpenglow',
  tower: 'Tower BFT',
  unknown: 'unknown',
};
