import { voteTransaction } from '../validator/vote-transaction.ts';
import type { LocalnetSubscription } from './subscription.ts';

/** The one validator votes for every slot when it is closed. */
export const voteSubscribe: LocalnetSubscription<'voteSubscribe'> = ({ blocks, genesis }) => ({
  key: [],
  watch: {
    kind: 'slot',
    notify: ({ closed: { slot } }) => [
      {
        votePubkey: genesis.voteAddress,
        slots: [slot],
        hash: blocks.blockhash(slot),
        timestamp: blocks.time(slot),
        signature: voteTransaction(blocks, genesis, slot).signatures[0] ?? '',
      },
    ],
  },
});
