import type { PublicTopic } from '../../../../generated/stream/handlers.ts';
import type { Block, BlockAccount } from '../block/block.ts';

export const accountUpdates: PublicTopic<Block, 'account-updates'> = {
  kind: 'public',
  messagesOf: ({ slot, transactions }) =>
    transactions().flatMap(({ index, signature, error, accounts }) =>
      accounts.filter(error === undefined ? isWritable : hasPaid).map((account) => ({
        slot,
        signature,
        transactionIndex: index,
        address: account.address,
        lamports: account.lamportsAfter,
        previousLamports: account.lamportsBefore,
        tokenBalance: account.tokenBalance,
      })),
    ),
};

const isWritable = (account: BlockAccount): boolean => account.isWritable;

/** The writes of a failed transaction are rolled back, except those of its fee payer. */
const hasPaid = ({ lamportsBefore, lamportsAfter }: BlockAccount): boolean =>
  lamportsBefore !== lamportsAfter;
