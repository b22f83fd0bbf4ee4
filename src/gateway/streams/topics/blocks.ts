import type { PublicTopic } from '../../../../generated/stream/handlers.ts';
import type { Block } from '../block/block.ts';

export const blocks: PublicTopic<Block, 'blocks'> = {
  kind: 'public',
  messagesOf: (block) => {
    const { slot, parentSlot, blockhash, previousBlockhash, blockTime, blockHeight } = block;
    const transactions = block.transactions();
    return [
      {
        slot,
        parentSlot,
        blockhash,
        previousBlockhash,
        blockTime,
        blockHeight,
        transactionCount: transactions.length,
        failedTransactionCount: transactions.filter(({ error }) => error !== undefined).length,
        totalFee: transactions.reduce((sum, { fee }) => sum + fee, 0n),
        signatures: transactions.map(({ signature }) => signature),
        rewards: block.rewards(),
        formats: transactions.map(({ version, config }) => ({ version, config })),
      },
    ];
  },
};
