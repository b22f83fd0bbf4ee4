import type { Block } from '../block/block.ts';
import { packBlock } from '../shared/pack-block.ts';

/** The bytes that blocks were read from, until they are taken or the block is no longer used. */
export type BlockBytes = {
  /** Notes the node's reply. */
  readonly noteReply: (block: Block, reply: Buffer) => void;
  /** Notes a reply that is packed already. */
  readonly notePacked: (block: Block, packed: Buffer) => void;
  /** Returns what is known of a block, and forgets it. */
  readonly take: (block: Block) => PackableBlock | undefined;
  /** Returns what is known of a block. */
  readonly find: (block: Block) => PackableBlock | undefined;
};

/** A block that can be kept. */
export type PackableBlock = {
  readonly block: Block;
  /** Memory that it holds meanwhile. */
  readonly sizeBytes: number;
  /** Returns its reply, packed. Works beside the main thread. */
  readonly pack: () => Promise<Buffer>;
};

/** Creates a note of the bytes of blocks. */
export function createBlockBytes(): BlockBytes {
  const noted = new WeakMap<Block, PackableBlock>();
  return {
    noteReply: (block, reply) =>
      void noted.set(block, { block, sizeBytes: reply.length, pack: () => packBlock(reply) }),
    notePacked: (block, packed) =>
      void noted.set(block, { block, sizeBytes: packed.length, pack: async () => packed }),
    take: (block) => {
      const found = noted.get(block);
      noted.delete(block);
      return found;
    },
    find: (block) => noted.get(block),
  };
}
