import { serviceError } from '../../core/service-error.ts';
import type { Block } from './block/block.ts';
import { type LedgerNode, NodeRefusal } from './ledger-node.ts';

/** The end of a chain of blocks: its slot, and its hash if it is known. */
export type Tip = { readonly slot: bigint; readonly blockhash: string | undefined };

/** Maximum number of missing blocks that are looked up one by one. */
const MAX_LEFT_OUT = 1_000;

/**
 * Returns the blocks from a tip to a later block, in order, that block included. Following the parents finds blocks that a node leaves
 * out of its list (because it began later, or lags).
 *
 * @throws ServiceError `ledgerChanged` if the block does not descend from the tip, or a block between is gone for good.
 */
export async function chainTo(
  node: Pick<LedgerNode, 'block'>,
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

async function readParent(
  node: Pick<LedgerNode, 'block'>,
  tip: Tip,
  { parentSlot }: Block,
  finalizedSlot: bigint,
): Promise<Block> {
  try {
    return await node.block(parentSlot, finalizedSlot);
  } catch (error) {
    if (error instanceof NodeRefusal && error.isFinal) throw changed(tip);
    throw error;
  }
}

/** Returns the error for a ledger that no longer contains this tip. */
export function changed({ slot }: Pick<Tip, 'slot'>) {
  return serviceError('ledgerChanged', { slot });
}
