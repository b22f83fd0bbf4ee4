import { inject } from 'vitest';

/** Where a client finds a node. */
export type Target = {
  readonly rpcUrl: string;
  readonly wsUrl: string;
};

const at = (rpcUrl: string): Target => ({ rpcUrl, wsUrl: rpcUrl.replace(/^http/, 'ws') });

/** The server that all client suites share: the gateway, with its key in the address. */
export const gateway = at(inject('rpcUrl'));

/** That server, and an embedded ledger without a gateway: suites that hold for both run once for each. */
export const TARGETS: readonly (readonly [name: string, target: Target])[] = [
  ['the gateway', gateway],
  ['the embedded ledger', at(inject('ledgerUrl'))],
];
