import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { p99Of } from '../../src/account/usage/call-durations.ts';
import {
  addNetworkCalls,
  type NetworkCallsRow,
  purgeNetworkCalls,
} from '../../src/account/usage/network-calls-store.ts';
import { readNetworkCalls } from '../../src/account/usage/read-network-calls.ts';
import { sql } from '../../src/store/drizzle.ts';
import type { Store } from '../../src/store/open-store.ts';
import { networkCalls } from '../../src/store/usage-tables.ts';
import { describeStores } from '../store/backends.ts';

const FIVE_MINUTES_MS = 300_000;
const DAY_MS = 86_400_000;
/** The beginning of a day of UTC. */
const DAY = Date.UTC(2025, 9, 9);
const WRITER = randomUUID();
const BUCKETS = 15;

const row = (own: Partial<NetworkCallsRow> = {}): NetworkCallsRow => ({
  startMs: DAY,
  network: 'net',
  calls: 3,
  errors: 1,
  durations: Array.from({ length: BUCKETS }, (_, bucket) => (bucket < 3 ? 1 : 0)),
  ...own,
});

const add = (store: Store, rows: readonly NetworkCallsRow[], { writerId = WRITER, number = 1 } = {}) =>
  addNetworkCalls(store, { writerId, number, rows }, DAY);

async function read(store: Store, sinceMs = 0, network = 'net') {
  const found = await readNetworkCalls(store, [network], [sinceMs]);
  return found.get(network)?.spans[0];
}

describeStores('calls of networks', (backend) => {
  const opened = backend.emptied();

  test('are added to what is stored, a batch that is sent again only once', async () => {
    const store = opened();
    await add(store, [row(), row({ network: 'other' })]);
    await add(store, [row(), row({ network: 'other' })]);
    expect(await read(store)).toEqual({ calls: 3, errors: 1, p99Ms: 5 });
    const slow = Array.from({ length: BUCKETS }, (_, bucket) => (bucket === 9 ? 1 : 0));
    await add(store, [row({ durations: slow })], { number: 2 });
    expect(await read(store)).toEqual({ calls: 6, errors: 2, p99Ms: 1_000 });
    expect(await read(store, 0, 'other')).toEqual({ calls: 3, errors: 1, p99Ms: 5 });
  });

  test('writers that add to the same rows at once lose nothing', async () => {
    const store = opened();
    const rows = Array.from({ length: 20 }, (_, index) => row({ startMs: DAY + index * FIVE_MINUTES_MS }));
    await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        add(store, index % 2 === 0 ? rows : rows.toReversed(), { writerId: randomUUID() }),
      ),
    );
    const stored = await store.db.select().from(networkCalls);
    expect(stored.length).toBe(20 + 2 + 1);
    for (const unit of ['five_minutes', 'hour', 'day'])
      expect([
        unit,
        stored.filter((each) => each.unit === unit).reduce((sum, { calls }) => sum + calls, 0),
        stored
          .filter((each) => each.unit === unit)
          .reduce((sum, { durations }) => sum + (durations[2] ?? 0), 0),
      ]).toEqual([unit, 480, 160]);
  });

  test('rows with fewer buckets than are counted today are added up', async () => {
    const store = opened();
    await add(store, [row({ durations: [5] })]);
    await add(store, [row()], { number: 2 });
    const [stored] = await store.db.select().from(networkCalls);
    expect(stored?.durations).toEqual([6, 1, 1, ...new Array(BUCKETS - 3).fill(0)]);
  });

  test('sums of any span are those of its five minutes, by network', async () => {
    const store = opened();
    const rows = Array.from({ length: 900 }, (_, index) => {
      const bucket = (index * 31) % BUCKETS;
      return row({
        startMs: DAY + ((index * 7_919) % (4 * 288)) * FIVE_MINUTES_MS,
        network: `n${index % 3}`,
        calls: index,
        errors: index % 5,
        durations: Array.from({ length: BUCKETS }, (_, each) => (each === bucket ? index : 0)),
      });
    });
    await add(store, rows.slice(0, 500));
    await add(store, rows.slice(500), { number: 2 });
    const sinceMs = [
      0,
      DAY + FIVE_MINUTES_MS,
      DAY + DAY_MS,
      DAY + 2.5 * DAY_MS + FIVE_MINUTES_MS,
      DAY + 5 * DAY_MS,
    ];
    const networks = ['n0', 'n1', 'n2', 'unknown'];
    const found = await readNetworkCalls(store, networks, sinceMs);
    for (const network of networks) {
      const own = rows.filter((each) => each.network === network);
      const wanted = sinceMs.map((fromMs) => {
        const within = own.filter(({ startMs }) => startMs >= fromMs);
        const durations = Array.from({ length: BUCKETS }, (_, bucket) =>
          within.reduce((sum, each) => sum + (each.durations[bucket] ?? 0), 0),
        );
        return {
          calls: within.reduce((sum, { calls }) => sum + calls, 0),
          errors: within.reduce((sum, { errors }) => sum + errors, 0),
          p99Ms: p99Of(durations),
        };
      });
      const first = own.length === 0 ? undefined : Math.min(...own.map(({ startMs }) => startMs));
      expect([network, found.get(network)]).toEqual([network, { knownSinceMs: first, spans: wanted }]);
    }
  });

  test('what began before an instant is deleted in steps of 5,000 rows, and nothing else', async () => {
    const store = opened();
    await store.db.execute(sql`insert into network_calls (unit, network, start, durations)
      select 'five_minutes', 'net', ${new Date(DAY)}::timestamptz - n * interval '5 minutes', '{}'
      from generate_series(1, 5000) n`);
    await add(store, [row()]);
    expect([await purgeNetworkCalls(store, DAY), await purgeNetworkCalls(store, DAY)]).toEqual([true, false]);
    const stored = await store.db.select().from(networkCalls);
    expect(stored.map(({ unit, calls }) => [unit, calls]).sort()).toEqual([
      ['day', 3],
      ['five_minutes', 3],
      ['hour', 3],
    ]);
  });
});
