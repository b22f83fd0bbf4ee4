import { setTimeout as pause } from 'node:timers/promises';
import type { Clock } from '../../../core/clock.ts';
import { ServiceError, serviceError } from '../../../core/service-error.ts';
import type { Store } from '../../../store/open-store.ts';
import type { Cursor } from '../../../gateway/streams/cursor.ts';
import type { Entry } from '../../../gateway/streams/entry.ts';
import { fromNode } from '../../../gateway/streams/feed.ts';
import { type Feed, type FeedStep, MAX_QUEUED, readFeeds, StaleFeed, writeSteps } from './feeds.ts';
import type { LedgerCommitment } from '../../../store/webhook-tables.ts';
import { gapFact, isWantedFact, type LedgerFact } from './ledger-fact.ts';
import { type LedgerPlace, type LedgerSource, newestPlace } from './ledger-source.ts';
import type { Block, BlockTransaction } from '../../../gateway/streams/block/block.ts';
import type { LedgerFilter } from './ledger-filter.ts';

export type LaneOptions = {
  readonly store: Pick<Store, 'db' | 'transaction'>;
  readonly source: LedgerSource;
  readonly commitment: LedgerCommitment;
  readonly clock: Clock;
  /** Interval at which places are stored while there are no events. */
  readonly placeMs: number;
};

/**
 * Reads the blocks of a network for webhooks that are at about the same place. Its state is in the store: wherever a lane ends, another one
 * can continue.
 */
export class Lane {
  readonly #options: LaneOptions;
  readonly #ids: Set<string>;
  /** Those whose place was seen to be an ancestor of the blocks that are read. */
  readonly #linked = new Set<string>();
  readonly #stopping = new AbortController();
  #cursor: Cursor | undefined;
  #finalizedSlot = 0n;
  #isTaking = false;
  #storedAtMs: number;

  constructor(options: LaneOptions, webhookIds: readonly string[]) {
    this.#options = options;
    this.#ids = new Set(webhookIds);
    this.#storedAtMs = options.clock.nowMs();
  }

  get network(): string {
    return this.#options.source.network;
  }

  get commitment(): LedgerCommitment {
    return this.#options.commitment;
  }

  /** The slot up to which everything was read; undefined before the first block. */
  get slot(): number | undefined {
    return this.#cursor === undefined ? undefined : Number(this.#cursor.position);
  }

  has(webhookId: string): boolean {
    return this.#ids.has(webhookId);
  }

  /**
   * Takes over the webhooks of another lane, which stops, if both have read up to the same slot and this one is not in the middle of the
   * next block: it reads every later block for them too.
   */
  takeOver(other: Lane): void {
    if (this.#isTaking || this.slot === undefined || this.slot !== other.slot) return;
    for (const id of other.#ids) this.#ids.add(id);
    for (const id of other.#linked) this.#linked.add(id);
    other.stop();
  }

  stop(): void {
    this.#stopping.abort();
    this.#cursor?.fail(serviceError('streamStopping', { slot: this.#cursor.position }));
  }

  /** Reads until it is stopped or no webhook is left. @throws ServiceError when the ledger or the store fails, or the ledger is replaced. */
  async run(): Promise<void> {
    try {
      const cursor = await this.#open();
      if (cursor === undefined) return;
      this.#cursor = cursor;
      while (!this.#stopping.signal.aborted) {
        const entry = await cursor.next();
        if (this.#options.commitment === 'finalized') await this.#untilFinalized(entry);
        this.#isTaking = true;
        if (!(await this.#take(entry))) return;
        cursor.done(entry);
        this.#isTaking = false;
      }
    } catch (error) {
      if (!this.#stopping.signal.aborted && !(error instanceof StaleFeed)) throw error;
    } finally {
      this.#cursor?.close();
    }
  }

  /** Opens the blocks after the place of the webhook that is furthest back. Reports missing blocks as a gap. */
  async #open(): Promise<Cursor | undefined> {
    const { source, commitment } = this.#options;
    for (;;) {
      const feeds = await this.#read();
      if (feeds.length === 0 || this.#stopping.signal.aborted) return undefined;
      const newest = await newestPlace(source, commitment);
      const steps = feeds.flatMap((feed) => displaced(feed, newest) ?? []);
      if (steps.length > 0) {
        await this.#write(steps);
        continue;
      }
      const slots = feeds.map(({ place = newest }) => place.slot);
      try {
        const cursor = await source.hub.open(BigInt(Math.min(...slots)));
        if ((await newestPlace(source, commitment)).genesis === newest.genesis) return cursor;
        cursor.close();
      } catch (error) {
        const oldest = oldestOf(error);
        if (oldest === undefined) throw fromNode(error);
        await this.#write(feeds.flatMap((feed) => tooOld(feed, { ...newest, slot: oldest }) ?? []));
      }
    }
  }

  /** Writes the events of a block. @returns false when no webhook is left. */
  async #take(entry: Entry): Promise<boolean> {
    let indexed: IndexedBlock | undefined;
    for (;;) {
      // Read after the block, so that a member's change applies to everything that happened after it.
      const feeds = await this.#read();
      if (feeds.length === 0) return false;
      indexed ??= indexBlock(entry.block);
      const behind = feeds.filter(({ place }) => place !== undefined && place.slot < Number(entry.slot));
      const steps: FeedStep[] = [];
      for (const feed of behind) steps.push(await this.#stepOf(feed, indexed));
      const isQuiet = steps.every(({ facts, hasLookedUp }) => facts.length === 0 && hasLookedUp !== true);
      const isDue = this.#options.clock.nowMs() - this.#storedAtMs >= this.#options.placeMs;
      try {
        if (!isQuiet || isDue) await this.#write(steps);
      } catch (error) {
        if (error instanceof StaleFeed && !this.#stopping.signal.aborted) continue;
        throw error;
      }
      for (const { feed } of steps) this.#linked.add(feed.webhookId);
      return true;
    }
  }

  async #stepOf(feed: Feed, indexed: IndexedBlock): Promise<FeedStep> {
    const { source, commitment } = this.#options;
    const { block } = indexed;
    const slot = Number(block.slot);
    const { webhookId, patterns, filters, toLookUp, blockhash, place } = feed;
    const isOther =
      !this.#linked.has(webhookId) && blockhash !== undefined && block.previousBlockhash !== blockhash;
    const known = await lookUpSignatures(source, feed, slot);
    const facts = [
      ...(isOther ? [gapFact(slot - 1, 'ledger_changed', { to: slot - 1 })] : []),
      ...[...(known ?? []), ...matchBlock(indexed, filters, commitment)],
    ];
    return {
      feed,
      to: { slot, genesis: place?.genesis ?? '', blockhash: block.blockhash },
      facts: facts.filter((fact) => isWantedFact(patterns, fact)),
      hasLookedUp: toLookUp.length > 0 && known !== undefined,
    };
  }

  /** Returns the current webhooks, without those that are stopped, read elsewhere, or have too many events waiting. */
  async #read(): Promise<readonly Feed[]> {
    const { source, commitment } = this.#options;
    const all = await readFeeds(this.#options.store, [...this.#ids]);
    const feeds = all.filter(
      (feed) => feed.network === source.network && feed.commitment === commitment && feed.queued < MAX_QUEUED,
    );
    const left = new Set(feeds.map(({ webhookId }) => webhookId));
    for (const id of this.#ids) if (!left.has(id)) this.#ids.delete(id);
    return feeds;
  }

  async #write(steps: readonly FeedStep[]): Promise<void> {
    const { store, clock } = this.#options;
    await writeSteps(store, steps, clock.nowMs());
    this.#storedAtMs = clock.nowMs();
  }

  async #untilFinalized({ slot, block }: Entry): Promise<void> {
    const { source } = this.#options;
    const { signal } = this.#stopping;
    if (block.rootSlot > this.#finalizedSlot) this.#finalizedSlot = block.rootSlot;
    while (this.#finalizedSlot < slot) {
      await pause(source.pollMs(), undefined, { signal });
      this.#finalizedSlot = await source.node.finalizedSlot().catch((error: unknown) => {
        throw fromNode(error);
      });
    }
  }
}

/** The step of a feed whose ledger could not be reached before, or has been replaced. */
function displaced(feed: Feed, newest: LedgerPlace): FeedStep | undefined {
  const { place } = feed;
  if (place === undefined) {
    const facts = [gapFact(newest.slot, 'not_reached', { to: newest.slot })];
    return { feed, to: { ...newest, blockhash: undefined }, facts };
  }
  if (place.genesis === newest.genesis) return undefined;
  const facts = [gapFact(0, 'ledger_changed', { from: place.slot + 1 })];
  return { feed, to: { slot: 0, genesis: newest.genesis, blockhash: undefined }, facts };
}

/** The step of a feed over blocks that are gone. */
function tooOld(feed: Feed, oldest: LedgerPlace): FeedStep | undefined {
  const from = (feed.place?.slot ?? 0) + 1;
  if (from > oldest.slot) return undefined;
  const facts = [gapFact(oldest.slot, 'too_old', { from, to: oldest.slot })];
  return { feed, to: { ...oldest, blockhash: undefined }, facts };
}

/** The oldest slot to resume after, if that is why a cursor could not be opened. */
function oldestOf(error: unknown): number | undefined {
  if (!(error instanceof ServiceError) || error.code !== 'resumeSlotGone') return undefined;
  return Number(error.context.oldestSlot);
}

/**
 * Returns the statuses of the signatures that a feed is to look up and that are in blocks before a slot: the others arrive with their
 * block. Undefined: the node does not know all of these blocks yet.
 *
 * @throws ServiceError when the ledger cannot be reached.
 */
async function lookUpSignatures(
  { node }: Pick<LedgerSource, 'node'>,
  { toLookUp, commitment }: Pick<Feed, 'toLookUp' | 'commitment'>,
  beforeSlot: number,
): Promise<readonly LedgerFact[] | undefined> {
  if (toLookUp.length === 0) return [];
  const { slot: at, statuses } = await node.signatureStatuses(toLookUp).catch((error: unknown) => {
    throw fromNode(error);
  });
  const isBehind = statuses.some((status) => status?.isConfirmed === false && status.slot < beforeSlot);
  if (at < beforeSlot || isBehind) return undefined;
  return statuses.flatMap((status, index): LedgerFact[] => {
    if (status === undefined || Number(status.slot) >= beforeSlot) return [];
    const failed = status.error === undefined ? {} : { error: status.error };
    const data = { signature: toLookUp[index], status: commitment, ...failed };
    return [{ type: 'ledger.signature', slot: Number(status.slot), data }];
  });
}

/** A block, indexed for filters. */
type IndexedBlock = {
  readonly block: Block;
  readonly naming: ReadonlyMap<string, readonly BlockTransaction[]>;
  readonly bySignature: ReadonlyMap<string, BlockTransaction>;
};

/** Reads a block once for all webhooks. @throws ServiceError `upstreamBroken` if it cannot be read. */
function indexBlock(block: Block): IndexedBlock {
  const naming = new Map<string, BlockTransaction[]>();
  const bySignature = new Map<string, BlockTransaction>();
  for (const transaction of block.transactions()) {
    bySignature.set(transaction.signature, transaction);
    for (const { address } of transaction.accounts) {
      const named = naming.get(address);
      if (named === undefined) naming.set(address, [transaction]);
      else if (named.at(-1) !== transaction) named.push(transaction);
    }
  }
  return { block, naming, bySignature };
}

/** Returns the facts of a block that match the filters, in its order: by transaction, rewards last. */
function matchBlock(
  { block, naming, bySignature }: IndexedBlock,
  filters: readonly LedgerFilter[],
  status: LedgerCommitment,
): readonly LedgerFact[] {
  const hits = new Map<BlockTransaction, LedgerFilter[]>();
  for (const filter of filters) {
    const { kind, value } = filter;
    const found = kind === 'signature' ? [bySignature.get(value) ?? []].flat() : (naming.get(value) ?? []);
    for (const transaction of found) hits.set(transaction, [...(hits.get(transaction) ?? []), filter]);
  }
  const at = { slot: Number(block.slot), blockTime: asNumber(block.blockTime) };
  const ofTransactions = [...hits]
    .sort(([a], [b]) => a.index - b.index)
    .flatMap(([transaction, fitting]) => factsOf(transaction, fitting, status));
  return [...ofTransactions, ...rewardsOf(block, filters)].map((fact) => ({ ...at, ...fact }));
}

type Fact = Omit<LedgerFact, 'slot' | 'blockTime'>;

function factsOf(
  { index, signature, error, fee, accounts }: BlockTransaction,
  filters: readonly LedgerFilter[],
  status: LedgerCommitment,
): readonly Fact[] {
  const failed = error === undefined ? {} : { error };
  const naming = filters.filter(({ kind }) => kind !== 'signature');
  const addresses = new Set(naming.flatMap(({ kind, value }) => (kind === 'address' ? [value] : [])));
  const named: Fact[] =
    naming.length === 0
      ? []
      : [
          {
            type: 'ledger.transaction',
            data: { signature, index, filters: naming, fee: String(fee), ...failed },
          },
        ];
  const balances = accounts.flatMap(({ address, lamportsBefore, lamportsAfter }): Fact[] =>
    !addresses.has(address) || lamportsBefore === lamportsAfter
      ? []
      : [balance({ address, before: lamportsBefore, after: lamportsAfter }, { signature, index })],
  );
  const isAwaited = naming.length < filters.length;
  const settled: Fact[] = isAwaited
    ? [{ type: 'ledger.signature', data: { signature, status, ...failed } }]
    : [];
  return [...named, ...balances, ...settled];
}

/** Rewards change balances without a transaction. */
function rewardsOf(block: Block, filters: readonly LedgerFilter[]): readonly Fact[] {
  const addresses = new Set(filters.flatMap(({ kind, value }) => (kind === 'address' ? [value] : [])));
  if (addresses.size === 0) return [];
  return block
    .rewards()
    .flatMap(({ address, lamports, postBalance, type }) =>
      !addresses.has(address) || lamports === 0n
        ? []
        : [
            balance(
              { address, before: postBalance - lamports, after: postBalance },
              type === '' ? {} : { reward: type },
            ),
          ],
    );
}

function balance(
  { address, before, after }: { readonly address: string; readonly before: bigint; readonly after: bigint },
  cause: Readonly<Record<string, unknown>>,
): Fact {
  return {
    type: 'ledger.balance',
    data: { address, lamports_before: String(before), lamports_after: String(after), ...cause },
  };
}

function asNumber(value: bigint | undefined): number | undefined {
  return value === undefined ? undefined : Number(value);
}
