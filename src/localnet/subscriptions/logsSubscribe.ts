import { commitmentOf } from '../blocks/commitment.ts';
import { signatureOf } from '../blocks/transaction-index.ts';
import { isVote } from '../validator/is-vote.ts';
import type { LocalnetSubscription } from './subscription.ts';

/** Notifies of a transaction when its slot reaches the level; at processed, when it lands. */
export const logsSubscribe: LocalnetSubscription<'logsSubscribe'> = (_ledger, filter, config) => {
  const commitment = commitmentOf(config);
  const kind = typeof filter === 'string' ? filter : 'mentions';
  const mention = typeof filter === 'string' ? undefined : filter.mentions[0];
  return {
    key: [kind, mention ?? null, commitment],
    watch: {
      kind: 'transaction',
      mention,
      commitment,
      notify: (record) => {
        if (kind === 'all' && isVote(record.transaction)) return undefined;
        const { err, logs } = record.meta;
        return { context: { slot: record.slot }, value: { signature: signatureOf(record), err, logs } };
      },
    },
  };
};
