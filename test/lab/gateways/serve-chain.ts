import { randomUUID } from 'node:crypto';
import type { ChainServer } from '../nodes/chain-server.ts';
import { startLab } from '../run-lab.ts';
import { createLabKey } from './open-accounts.ts';

/** A gateway before three nodes of one chain. */
export type ServedChain = {
  readonly servers: readonly [ChainServer, ChainServer, ChainServer];
  readonly gateway: {
    /** With the key. */
    readonly rpcUrl: string;
    readonly grpcUrl: string;
    readonly metricsUrl: string;
    /** No limit binds it. */
    readonly apiKey: string;
    readonly baseUrl: string;
    /** Creates an access token of a new account. */
    readonly newToken: (scopes: readonly string[]) => Promise<string>;
  };
  readonly stop: () => Promise<void>;
};

/** Starts three nodes and an impatient gateway before them. */
export async function serveChain(): Promise<ServedChain> {
  const { nodes, gateways, remove } = await startLab({ scenario: { isImpatient: true } });
  const [first, second, third] = nodes.map(({ server }) => server);
  const [gateway] = gateways;
  if (first === undefined || second === undefined || third === undefined || gateway === undefined)
    throw new Error('a scenario has three nodes and a gateway');
  const apiKey = await createLabKey(gateways);
  const { baseUrl, rpcUrl, grpcUrl } = gateway;
  const newToken = async (scopes: readonly string[]): Promise<string> => {
    const request = { kind: 'tokens.create', account: `chain-${randomUUID()}`, scopes } as const;
    return (await gateway.ask<{ readonly token: string }>(request)).token;
  };
  return {
    servers: [first, second, third],
    gateway: {
      rpcUrl: `${rpcUrl}?apikey=${apiKey}`,
      grpcUrl,
      metricsUrl: `${baseUrl}/metrics`,
      apiKey,
      baseUrl,
      newToken,
    },
    stop: remove,
  };
}
