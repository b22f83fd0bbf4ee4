import type { BlockTransaction } from './read-block.ts';
import type { SharedSubscription } from './shared-subscription.ts';

/** Subscriptions to logs, by what they look for: a transaction finds those that it concerns without a look at the others. */
export class LogReaders {
  readonly #byMention = new Map<string, SharedSubscription[]>();
  readonly #ofAll: SharedSubscription[] = [];
  readonly #ofVotesToo: SharedSubscription[] = [];

  constructor(subscriptions: readonly SharedSubscription[]) {
    for (const shared of subscriptions) {
      const [filter] = shared.params;
      if (filter === 'allWithVotes') this.#ofVotesToo.push(shared);
      else if (filter === 'all') this.#ofAll.push(shared);
      else for (const address of (filter as Mentions).mentions) this.#add(address, shared);
    }
  }

  /** Returns the subscriptions that see a transaction, each once. */
  of({ isVote, accounts }: Pick<BlockTransaction, 'isVote' | 'accounts'>): ReadonlySet<SharedSubscription> {
    const found = new Set(this.#ofVotesToo);
    if (!isVote) for (const shared of this.#ofAll) found.add(shared);
    for (const address of accounts)
      for (const shared of this.#byMention.get(address) ?? []) found.add(shared);
    return found;
  }

  #add(address: string, shared: SharedSubscription): void {
    const known = this.#byMention.get(address);
    if (known === undefined) this.#byMention.set(address, [shared]);
    else known.push(shared);
  }
}

type Mentions = { readonly mentions: readonly string[] };
