import type { AccountTopic } from '../../../../generated/stream/handlers.ts';
import type { AccountView } from '../account-view.ts';
import type { Block } from '../block/block.ts';

export const walletActivity: AccountTopic<Block, AccountView, 'wallet-activity'> = {
  kind: 'account',
  messagesOf: async ({ slot, blockTime, transactions }, view) => {
    const named = new Set(transactions().flatMap(({ accounts }) => accounts.map(({ address }) => address)));
    const own = await view.walletsAmong([...named]);
    const walletIds = new Map(own.map(({ address, walletId }) => [address, walletId]));
    return transactions().flatMap(({ index, signature, error, accounts }) =>
      accounts.flatMap(({ address, isSigner, lamportsBefore, lamportsAfter }) => {
        const walletId = walletIds.get(address);
        if (walletId === undefined) return [];
        const transaction = { slot, blockTime, signature, transactionIndex: index, error };
        const balances = { previousLamports: lamportsBefore, lamports: lamportsAfter };
        return [{ ...transaction, ...balances, walletId, address, signed: isSigner }];
      }),
    );
  },
};
