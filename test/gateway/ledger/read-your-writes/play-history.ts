import { inspect } from 'node:util';
import type { Commitment } from '../../../../src/core/rpc/commitment.ts';
import { type ChainNode, type NodeFault, OTHER_GENESIS } from '../../../lab/nodes/chain-node.ts';
import { inTime, pass } from '../../nodes/pool/chain-pool.ts';
import { Floors } from '../../../lab/checks/slots.ts';
import { nextWire } from '../../../lab/clients/wire.ts';
import { slotOf } from '../../../lab/clients/read-step.ts';
import { type Answer, startChainGateway } from './chain-gateway.ts';

export type Step =
  | { readonly kind: 'read'; readonly key: string; readonly method: string; readonly commitment: Commitment }
  | { readonly kind: 'batch'; readonly key: string; readonly commitment: Commitment }
  /** Over a WebSocket or a topic stream: a slot that some node has. */
  | { readonly kind: 'shown'; readonly key: string; readonly node: number; readonly commitment: Commitment }
  | { readonly kind: 'send'; readonly key: string }
  | {
      readonly kind: 'change';
      readonly node: number;
      readonly lag: number;
      readonly forked: number;
      readonly fault: NodeFault | undefined;
    }
  | { readonly kind: 'pass'; readonly ms: number };

const ADDRESS = 'J8rksYxxzQtYv1Eq4hZ7YsiKFK3bfwd5PkxgfXG8uSEq';

/**
 * Plays a history against nodes of one chain and one of another. The checker knows what each key was shown, and the state of
 * every node. @returns what was wrong.
 */
export async function playHistory(steps: readonly Step[]): Promise<readonly string[]> {
  const gateway = await startChainGateway({ nodes: 4, patienceMs: 1_000, prepare: makeForeign });
  const { nodes, callOwn, batch, readYourWrites } = gateway;
  const faults: string[] = [];
  const seen = new Map<string, Floors>();
  const floorsOf = (key: string): Floors => {
    const floors = seen.get(key) ?? new Floors();
    seen.set(key, floors);
    return floors;
  };
  const check = (
    key: string,
    commitment: Commitment,
    floor: number,
    answer: Answer,
    couldAnswer: boolean,
  ): void => {
    const slot = slotOf(answer.result);
    if (slot === undefined) {
      if (couldAnswer) faults.push(`failed, and a node could have answered: ${inspect(answer)}`);
      return;
    }
    if (slot < floor) faults.push(`${key} has seen ${floor} at ${commitment}, and was shown ${slot}`);
    floorsOf(key).see(commitment, slot, 'a node');
  };
  for (const step of steps) {
    switch (step.kind) {
      case 'read': {
        const { key, method, commitment } = step;
        const floor = floorsOf(key).at(commitment).slot;
        const couldAnswer = hasAnswer(nodes, commitment, floor);
        const params = method === 'getBalance' ? [ADDRESS, { commitment }] : [{ commitment }];
        check(key, commitment, floor, await inTime(callOwn(key, method, params)), couldAnswer);
        break;
      }
      case 'batch': {
        const { key, commitment } = step;
        const floor = floorsOf(key).at(commitment).slot;
        const couldAnswer = hasAnswer(nodes, commitment, floor);
        const calls = [
          ['getBalance', [ADDRESS, { commitment }]],
          ['getSlot', [{ commitment }]],
        ] as const;
        for (const answer of await inTime(batch(key, calls)))
          check(key, commitment, floor, answer, couldAnswer);
        break;
      }
      case 'shown': {
        const { key, commitment } = step;
        const slot = nodes[step.node]?.slot(commitment) ?? 0;
        readYourWrites.noteSlot(commitment, slot, { accountId: 'a', keyId: key });
        floorsOf(key).see(commitment, slot, 'a node');
        break;
      }
      case 'send': {
        const wire = nextWire();
        await inTime(callOwn(step.key, 'sendTransaction', [wire, { encoding: 'base64' }]));
        const times = nodes.reduce((sum, { taken }) => sum + (taken.get(wire) ?? 0), 0);
        if (times > 1) faults.push(`a transaction was taken ${times} times`);
        break;
      }
      case 'change': {
        const node = nodes[step.node];
        if (node === undefined) break;
        Object.assign(node, { lag: step.lag, forked: step.forked, fault: step.fault });
        break;
      }
      case 'pass':
        await pass(step.ms);
    }
  }
  if (nodes[3]?.seen.length !== 0) faults.push('the node of another chain was asked');
  await gateway.close();
  return faults;
}

function makeForeign(nodes: readonly ChainNode[]): void {
  const foreign = nodes[3];
  if (foreign !== undefined) foreign.genesis = OTHER_GENESIS;
}

/** A call waits for longer than this number of slots where no node has what it asks, or those that have it fail. */
const WAITED_SLOTS = 3;

/** True if a sound node of the chain has what is asked before the call, or while that waits for it. */
function hasAnswer(nodes: readonly ChainNode[], commitment: Commitment, floor: number): boolean {
  return nodes
    .slice(0, 3)
    .some((node) => node.fault === undefined && node.slot(commitment) + WAITED_SLOTS >= floor);
}
