import { eventually } from './eventually.ts';
import { freePortPair } from './free-port-pair.ts';
import { startNode } from './node-process.ts';

export type LocalnetNode = {
  readonly url: string;
  readonly wsUrl: string;
  readonly stop: () => Promise<void>;
};

const TRIES = 5;

/**
 * The embedded ledger alone, in a process of its own, on two free ports in a row, as clients expect of a node. Should another
 * process take one of them in between, it looks for others.
 *
 * @throws Error with what the ledger printed when it does not start.
 */
export async function startLocalnetNode(slotMs = 100): Promise<LocalnetNode> {
  for (let tries = 1; ; tries++) {
    const port = await freePortPair();
    const args = ['src/localnet/main.ts', '--rpc-port', String(port), '--slot-ms', String(slotMs)];
    const node = startNode(args, {});
    const isServing = await eventually('the ledger serves or ends', () => {
      if (node.stdout().includes('Identity')) return true;
      return node.ended() === undefined ? undefined : false;
    });
    if (isServing)
      return { url: `http://127.0.0.1:${port}`, wsUrl: `ws://127.0.0.1:${port}`, stop: node.stop };
    if (tries === TRIES || !node.stderr().includes('is taken')) throw new Error(`localnet: ${node.stderr()}`);
  }
}
