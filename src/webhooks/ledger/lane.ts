import { setTimeout as pause } from 'node:timers/promises';
import type { Clock } from '../../base/clock.ts';
import { ServiceError, serviceError } from '../../base/service-error.ts';
import type { Store } from '../../store/open-store.ts';
import type { Cursor } from '../../stream/cursor.ts';
import type { Entry } from '../../stream/entry.ts';
import { fromNode } from '../../stream/feed.ts';
import { type Feed, type FeedStep, MAX_QUEUED, readFeeds, StaleFeed, writeSteps } from './feeds.ts';
import type { LedgerCommitment } from './ledger-commitment.ts';
import { gapFact, isWantedFact } from './ledger-fact.ts';
import { type LedgerPlace, type LedgerSource, newestPlace } from './ledger-source.ts';
import { lookUpSignatures } from './look-up-signatures.ts';
import { type IndexedBlock, indexBlock, matchBlock } from './match-block.ts';

export type LaneOptions = {
  readonly store: Pick<Store, 'db' | 'transaction'>;
  readonly source: LedgerSource;
  readonly commitment: LedgerCommitment;
  readonly clock: Clock;
  /** Places are stored this often where there are no events. */
  readonly placeMs: number;
};

/**
 * Reads the blocks of a network for webhooks that are at about the same place. What it knows of them is in the store: a lane that ends
 * anywhere is continued by another one from there.
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

  /** Opens the blocks after the place of the webhook that is furthest back. States as a gap what cannot be had. */
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
      // Read after the block, so that what a member changed before something happened counts for it.
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

  /** The webhooks as they are now, without those that are stopped, read elsewhere, or have too much to be sent. */
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

/** The step of a feed whose ledger could not be reached before, or is another one now. */
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
