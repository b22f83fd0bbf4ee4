import type { Logger } from 'pino';
import type { Clock } from '../../../core/clock.ts';
import { ServiceError } from '../../../core/service-error.ts';
import type { Store } from '../../../store/open-store.ts';
import { holdLease, leaveLease } from '../../processes/lease.ts';
import { LEDGER_COMMITMENTS, type LedgerCommitment } from '../../../store/webhook-tables.ts';
import { type Feed, MAX_QUEUED, readFeeds } from './feeds.ts';
import { Lane } from './lane.ts';
import type { LedgerSource } from './ledger-source.ts';

export type FollowOptions = {
  readonly store: Store;
  /** This process in `gateways`. */
  readonly gatewayId: string;
  readonly sources: readonly LedgerSource[];
  readonly clock: Clock;
  readonly log: Logger;
  /** Called when a ledger cannot be read; reading is retried. */
  readonly onFailure: (network: string, error: ServiceError) => void;
  /** Interval of the search for webhooks. Default 500 ms. */
  readonly lookMs?: number;
  /** Default 5,000 ms. */
  readonly placeMs?: number;
};

/** Reads ledgers for webhooks in the background. */
export type LedgerFollower = { readonly close: () => Promise<void> };

const LEASE = 'ledger events';
const LOOK_MS = 500;
const PLACE_MS = 5_000;
/** Maximum distance of webhooks that are read for together. */
const NEAR_SLOTS = 1_000;
/** Maximum number of lanes of a network and a commitment; further webhooks wait for a lane. */
const MAX_LANES = 16;

/** Starts to read the ledgers that webhooks want events of, while this process has the lease. */
export function followLedgers(options: FollowOptions): LedgerFollower {
  const { store, gatewayId, sources, clock, log, lookMs = LOOK_MS, placeMs = PLACE_MS } = options;
  const lanes = new Map<Lane, Promise<void>>();
  let isClosed = false;
  let isFailing = false;

  const start = (source: LedgerSource, commitment: LedgerCommitment, feeds: readonly Feed[]): void => {
    const ids = feeds.map(({ webhookId }) => webhookId);
    const lane = new Lane({ store, source, commitment, clock, placeMs }, ids);
    const run = lane
      .run()
      .catch((error: unknown) => {
        if (error instanceof ServiceError && error.code === 'streamStopping') return;
        if (error instanceof ServiceError) options.onFailure(source.network, error);
        else
          log.error({ err: error, network: source.network }, 'cannot read the events of a ledger; retrying');
      })
      .finally(() => lanes.delete(lane));
    lanes.set(lane, run);
  };

  const look = async (): Promise<void> => {
    if (!(await holdLease(store, LEASE, gatewayId))) return stopAll();
    merge([...lanes.keys()]);
    const feeds = await readFeeds(store);
    if (isClosed) return;
    const free = feeds.filter(
      ({ webhookId, queued }) =>
        queued < MAX_QUEUED / 2 && ![...lanes.keys()].some((lane) => lane.has(webhookId)),
    );
    for (const source of sources)
      for (const commitment of LEDGER_COMMITMENTS) {
        const isSame = (one: Pick<Feed, 'network' | 'commitment'>): boolean =>
          one.network === source.network && one.commitment === commitment;
        const running = [...lanes.keys()]
          .filter(isSame)
          .map((lane) => feeds.filter(({ webhookId }) => lane.has(webhookId)));
        const groups = nearEachOther(free.filter(isSame));
        for (const group of groupsInTurn(groups, running)) start(source, commitment, group);
      }
  };
  const stopAll = (): void => {
    for (const lane of lanes.keys()) lane.stop();
  };

  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> | undefined;
  const run = (): void => {
    looking = look()
      .then(() => {
        if (isFailing) log.info('reading ledgers for webhooks again');
        isFailing = false;
      })
      .catch((error: unknown) => {
        if (!isFailing) log.error({ err: error }, 'cannot read ledgers for webhooks; retrying');
        isFailing = true;
      })
      .finally(() => {
        if (!isClosed) timer = setTimeout(run, lookMs).unref();
      });
  };
  timer = setTimeout(run, lookMs).unref();
  return {
    close: async () => {
      isClosed = true;
      clearTimeout(timer);
      await looking;
      stopAll();
      await Promise.all(lanes.values());
      await leaveLease(store, LEASE, gatewayId);
    },
  };
}

/** Merges lanes of one network and commitment when one has caught up with another. */
function merge(lanes: readonly Lane[]): void {
  const ofKeys = Object.groupBy(lanes, ({ network, commitment }) => `${network} ${commitment}`);
  for (const same of Object.values(ofKeys)) {
    const running = (same ?? []).filter(({ slot }) => slot !== undefined);
    const [first, ...others] = running.toSorted((a, b) => (b.slot ?? 0) - (a.slot ?? 0));
    for (const other of others) first?.takeOver(other);
  }
}

/** Groups feeds of one network and commitment by place: those of a group are at most 1,000 slots apart. */
function nearEachOther(feeds: readonly Feed[]): readonly (readonly Feed[])[] {
  const groups: Feed[][] = [];
  const placeOf = ({ place }: Feed): number => place?.slot ?? Number.MAX_SAFE_INTEGER;
  for (const feed of feeds.toSorted((a, b) => placeOf(a) - placeOf(b))) {
    const group = groups.find(
      ([first]) =>
        first !== undefined &&
        first.place?.genesis === feed.place?.genesis &&
        placeOf(feed) - placeOf(first) <= NEAR_SLOTS,
    );
    if (group === undefined) groups.push([feed]);
    else group.push(feed);
  }
  return groups;
}

type OfAccount = Pick<Feed, 'accountId'>;

/**
 * Returns the groups that get a lane now. Those of accounts with the fewest lanes come first, and of these the oldest; an account gets one
 * only while more are free than it has already.
 *
 * @param running the feeds of each lane of the network and commitment.
 */
export function groupsInTurn<T extends OfAccount>(
  groups: readonly (readonly T[])[],
  running: readonly (readonly OfAccount[])[],
): readonly (readonly T[])[] {
  const held = new Map<string, number>();
  const hold = (feeds: readonly OfAccount[]): void => {
    for (const id of new Set(feeds.map(({ accountId }) => accountId))) held.set(id, (held.get(id) ?? 0) + 1);
  };
  const lanesOf = (feeds: readonly OfAccount[]): number =>
    Math.min(...feeds.map(({ accountId }) => held.get(accountId) ?? 0));
  for (const feeds of running) hold(feeds);
  const waiting = [...groups];
  const chosen: (readonly T[])[] = [];
  for (let free = MAX_LANES - running.length; free > 0; free--) {
    const [next] = waiting.toSorted((a, b) => lanesOf(a) - lanesOf(b));
    if (next === undefined || lanesOf(next) >= free) break;
    waiting.splice(waiting.indexOf(next), 1);
    hold(next);
    chosen.push(next);
  }
  return chosen;
}
