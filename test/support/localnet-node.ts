import { eventually } from '../../src/core/eventually.ts';
import { freePortPair } from './free-port-pair.ts';
import { startNode } from './node-process.ts';
import { CONSENSUS } from './test-ledger.ts';

export type LocalnetNode = {
  readonly url: string;
  readonly wsUrl: string;
  readonly stop: () => Promise<void>;
};

/**
 * The embedded ledger alone, in a process of its own, on two free ports in a row, as clients expect of a node.
 *
 * @throws Error with what the ledger printed when it does not start.
 */
export async function startLocalnetNode(slotMs = 100): Promise<LocalnetNode> {
  const port = await freePortPair();
  const options = ['--rpc-port', String(port), '--slot-ms', String(slotMs), '--consensus', CONSENSUS];
  const node = startNode(['src/localnet/main.ts', ...options], {});
  await eventually('the ledger serves', () => {
    if (node.ended() !== undefined) throw new Error(`localnet: ${node.stderr()}`);
    return node.stdout().includes('Identity') ? true : undefined;
  });
  return { url: `http://127.0.0.1:${port}`, wsUrl: `ws://127.0.0.1:${port}`, stop: node.stop };
}
