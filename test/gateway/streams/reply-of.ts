import type { Block } from '../../../src/gateway/streams/block/block.ts';

/** A block as a node answers it. */
export function replyOf({ blockhash, previousBlockhash, parentSlot, ...block }: Block): Buffer {
  const [blockTime, blockHeight] = [Number(block.blockTime), Number(block.blockHeight)];
  const known = { blockhash, previousBlockhash, parentSlot: Number(parentSlot), blockTime, blockHeight };
  return Buffer.from(
    JSON.stringify({ jsonrpc: '2.0', id: 0, result: { ...known, transactions: [], rewards: [] } }),
  );
}
