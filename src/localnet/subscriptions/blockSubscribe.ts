import type { BlockUpdate } from '../../../generated/ledger/types.ts';
import { ServiceError } from '../../core/service-error.ts';
import { commitmentOf } from '../blocks/commitment.ts';
import { type BlockOptions, encodeBlock } from '../encode/block.ts';
import type { Block } from '../model.ts';
import { accountKeys } from '../transaction/account-keys.ts';
import type { LocalnetSubscription } from './subscription.ts';

type BlockNotification = { readonly context: { readonly slot: bigint }; readonly value: BlockUpdate };

/** Blocks that could not be encoded are reported again with each later block, at most this many. */
const MAX_FAILED = 64;

/**
 * A block that cannot be encoded as requested is reported as an error; a node stays at it, and reports it again with every later block
 * until one can be encoded.
 *
 * With an address filter, a block shows only the transactions that mention it.
 */
export const blockSubscribe: LocalnetSubscription<'blockSubscribe'> = (_ledger, filter, config) => {
  const commitment = commitmentOf(config);
  const mention = filter === 'all' ? undefined : filter.mentionsAccountOrProgram;
  const version = config?.maxSupportedTransactionVersion;
  const options = {
    encoding: config?.encoding ?? 'base64',
    transactionDetails: config?.transactionDetails ?? 'full',
    rewards: config?.showRewards ?? false,
    maxSupportedTransactionVersion: version,
  } as const;
  let failed: readonly BlockNotification[] = [];
  return {
    key: [mention ?? null, commitment, { ...options, maxSupportedTransactionVersion: version ?? null }],
    watch: {
      kind: 'block',
      mention,
      commitment,
      notify: (block) => {
        const shown = mention === undefined ? block : { ...block, transactions: mentioning(block, mention) };
        const notification = { context: { slot: block.slot }, value: updateOf(shown, options) };
        const all = [...failed, notification];
        failed = notification.value.err === null ? [] : all.slice(-MAX_FAILED);
        return all;
      },
      notifyOther: () => failed,
    },
  };
};

function mentioning({ transactions }: Block, address: string): Block['transactions'] {
  return transactions.filter(({ transaction, meta }) =>
    accountKeys(transaction.message, meta.loadedAddresses).includes(address),
  );
}

function updateOf(block: Block, options: BlockOptions): BlockUpdate {
  const { slot } = block;
  try {
    return { slot, block: encodeBlock(block, options), err: null };
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'transactionVersionNotSupported') throw error;
    return { slot, block: null, err: { UnsupportedTransactionVersion: Number(error.context.version) } };
  }
}
