import type { PublicTopic } from '../../../../generated/stream/handlers.ts';
import type { Block } from '../block/block.ts';

export const transactions: PublicTopic<Block, 'transactions'> = {
  kind: 'public',
  messagesOf: ({ slot, blockTime, ...block }) =>
    block.transactions().map(({ accounts, ...transaction }) => ({
      ...transaction,
      slot,
      blockTime,
      accounts: accounts.map(({ address }) => address),
    })),
};
