import { freePortPair } from './free-port-pair.ts';
import { startKeyslot } from './keyslot.ts';
import { CONSENSUS } from './test-ledger.ts';

/** Where clients find a node: their HTTP address, from which web3.js makes the one of its WebSocket, and that of kit. */
export type SubscribableNode = {
  readonly url: string;
  readonly wsUrl: string;
  readonly stop: () => Promise<void>;
};

/** A server with its embedded ledger, on two free ports in a row. */
export async function startKeyslotNode(): Promise<SubscribableNode> {
  const port = await freePortPair();
  const env = {
    KEYSLOT_HTTP_PORT: String(port),
    KEYSLOT_LOCALNET_SLOT_MS: '100',
    KEYSLOT_LOCALNET_CONSENSUS: CONSENSUS,
  };
  const { rpcUrl: url, stop } = await startKeyslot({ env });
  return { url, wsUrl: url.replace(/^http/, 'ws'), stop };
}
