import { voteTransaction } from '../validator/vote-transaction.ts';
import type { LocalnetSubscription } from './subscription.ts';

/** The one validator votes for every slot when it is closed; under Alpenglow there is no vote transaction to report. */
export const voteSubscribe: LocalnetSubscription<'voteSubscribe'> = ({ blocks, genesis, consensus }) => ({
  key: [],
  watch: {
    kind: 'slot',
    notify: ({ closed: { slot } }) =>
      consensus === 'alpenglow'
        ? []
        : [
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
