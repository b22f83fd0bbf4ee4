import { serviceError } from '../base/service-error.ts';
import type { Block } from './block/block.ts';
import { type LedgerNode, NodeRefusal } from './ledger-node.ts';

/** Where a chain of blocks ends: its slot, and its hash where that is known. */
export type Tip = { readonly slot: bigint; readonly blockhash: string | undefined };

/** More blocks that a node left out are not looked for one by one. */
const MAX_LEFT_OUT = 1_000;

/**
 * The blocks between a tip and a block that comes after it, in order, the block itself last. Each block names its parent: what a
 * node leaves out of a list (it began later, or lags) is found by that.
 *
 * @throws ServiceError `ledgerChanged` if the block does not descend from the tip, or one between is gone for good.
 */
export async function chainTo(
  node: LedgerNode,
  tip: Tip,
  block: Block,
  finalizedSlot: bigint,
): Promise<readonly Block[]> {
  const chain = [block];
  let first = block;
  while (first.parentSlot > tip.slot) {
    if (chain.length > MAX_LEFT_OUT) throw changed(tip);
    first = await readParent(node, tip, first, finalizedSlot);
    chain.unshift(first);
  }
  if (tip.blockhash !== undefined && first.previousBlockhash !== tip.blockhash) throw changed(tip);
  return chain;
}

async function readParent(node: LedgerNode, tip: Tip, { parentSlot }: Block, finalizedSlot: bigint) {
  try {
    return await node.block(parentSlot, finalizedSlot);
  } catch (error) {
    if (error instanceof NodeRefusal && error.isFinal) throw changed(tip);
    throw error;
  }
}

/** The ledger is not the one whose tip this was. */
export function changed({ slot }: Pick<Tip, 'slot'>) {
  return serviceError('ledgerChanged', { slot });
}
