import type { LedgerHandler } from '../../../generated/ledger/handlers.ts';
import type { Ledger } from '../ledger.ts';
import { shredVersion } from '../validator/genesis-certificate.ts';
import { CLIENT_ID, FEATURE_SET, NODE_VERSION } from '../validator/version.ts';

/** The one node. It serves RPC and subscriptions, on one port, and none of the services that validators offer each other. */
export const getClusterNodes: LedgerHandler<Ledger, 'getClusterNodes'> = ({ genesis, rpcAddress }) => [
  {
    pubkey: genesis.identity.address,
    gossip: null,
    tvu: null,
    tpu: null,
    tpuQuic: null,
    tpuForwards: null,
    tpuForwardsQuic: null,
    tpuVote: null,
    serveRepair: null,
    rpc: rpcAddress,
    pubsub: rpcAddress,
    version: NODE_VERSION,
    clientId: CLIENT_ID,
    featureSet: FEATURE_SET,
    shredVersion: shredVersion(genesis.hash),
  },
];
