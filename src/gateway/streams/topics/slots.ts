import type { PublicTopic } from '../../../../generated/stream/handlers.ts';
import type { Block } from '../block/block.ts';

export const slots: PublicTopic<Block, 'slots'> = {
  kind: 'public',
  messagesOf: ({ slot, parentSlot, rootSlot, blockhash, blockTime, blockHeight }) => [
    { slot, parentSlot, rootSlot, blockhash, blockTime, blockHeight },
  ],
};
