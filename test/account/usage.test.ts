import { randomUUID } from 'node:crypto';
import { sql } from '../../src/store/drizzle.ts';
import { expect, test } from 'vitest';
import { ensureAccount } from '../../src/account/accounts/accounts.ts';
import { createApiKey, revokeApiKey } from '../../src/account/identity/api-keys/api-keys.ts';
import { Keyring } from '../../src/account/identity/api-keys/keyring.ts';
import { readUsage } from '../../src/account/usage/read-usage.ts';
import { UNIT_MS } from '../../src/account/usage/split-span.ts';
import { USAGE_GROUPS, type UsageGroup } from '../../src/account/usage/usage-groups.ts';
import { addUsage, purgeUsage, type UsageRow } from '../../src/account/usage/usage-store.ts';
import type { Store } from '../../src/store/open-store.ts';
import { usageMinutes, usageWriters } from '../../src/store/tables.ts';
import { describeStores, type TestBackend } from '../store/backends.ts';

const MINUTE_MS = 60_000;
/** The beginning of a day of UTC. */
const DAY = Date.UTC(2025, 9, 9);
const KEY = randomUUID();
const WRITER = randomUUID();

const row = (own: Partial<UsageRow> = {}): UsageRow => ({
  minuteMs: DAY,
  keyId: KEY,
  network: 'solana-localnet',
  method: 'getSlot',
  calls: 2,
  errors: 1,
  callerErrors: 6,
  refused: 3,
  weight: 4,
  messages: 5,
  ...own,
});

const all = async (store: Store, by: UsageGroup = 'key') =>
  readUsage(store, { sinceMs: 0, by, accountId: undefined, keyId: undefined });

function groupOf({ keyId, network, method, minuteMs }: UsageRow, by: UsageGroup): string {
  const startOf = (unitMs: number): string =>
    new Date(Math.floor(minuteMs / unitMs) * unitMs).toISOString().replace('.000', '');
  const { minute, hour, day } = UNIT_MS;
  const times = { minute: startOf(minute), hour: startOf(hour), day: startOf(day) };
  return { key: keyId, network, method, ...times }[by];
}

async function totals(store: Store): Promise<readonly number[]> {
  const [sum] = await all(store);
  return sum === undefined ? [] : [sum.calls, sum.errors, sum.refused, sum.weight, sum.messages];
}

describeStores('usage', (backend: TestBackend) => {
  const opened = backend.emptied();

  test('counts are added to what is stored', async () => {
    const store = opened();
    await addUsage(store, { writerId: WRITER, number: 1, rows: [row()] }, DAY);
    await addUsage(store, { writerId: WRITER, number: 2, rows: [row(), row({ method: 'getBlock' })] }, DAY);
    expect(await totals(store)).toEqual([6, 3, 9, 12, 15]);
    expect((await store.db.select().from(usageMinutes)).length).toBe(2);
  });

  test('a batch that is sent again is not added again; another writer has numbers of its own', async () => {
    const store = opened();
    const batch = { writerId: WRITER, number: 1, rows: [row()] };
    await addUsage(store, batch, DAY);
    await addUsage(store, batch, DAY);
    expect(await totals(store)).toEqual([2, 1, 3, 4, 5]);
    await addUsage(store, { ...batch, writerId: randomUUID() }, DAY);
    expect(await totals(store)).toEqual([4, 2, 6, 8, 10]);
  });

  test('a minute that stands twice in a batch is added up', async () => {
    const store = opened();
    await addUsage(store, { writerId: WRITER, number: 1, rows: [row(), row()] }, DAY);
    expect(await totals(store)).toEqual([4, 2, 6, 8, 10]);
  });

  test('writers that add to the same rows at once lose nothing', async () => {
    const store = opened();
    const rows = Array.from({ length: 50 }, (_, index) => row({ method: `m${index}` }));
    const writers = Array.from({ length: 8 }, () => randomUUID());
    await Promise.all(
      writers.map((writerId, index) =>
        addUsage(store, { writerId, number: 1, rows: index % 2 === 0 ? rows : rows.toReversed() }, DAY),
      ),
    );
    expect(await totals(store)).toEqual([800, 400, 1_200, 1_600, 2_000]);
  });

  test('10,000 rows are one statement', async () => {
    const store = opened();
    const rows = Array.from({ length: 10_000 }, (_, index) =>
      row({ keyId: randomUUID(), minuteMs: DAY + index * MINUTE_MS }),
    );
    await addUsage(store, { writerId: WRITER, number: 1, rows }, DAY);
    const [found] = await store.db
      .select({ count: sql<number>`count(*)`.mapWith(Number) })
      .from(usageMinutes);
    expect(found?.count).toBe(10_000);
  });

  test('is summed up by key, network, method and by the minutes, hours and days of UTC', async () => {
    const store = opened();
    const rows = [
      row({ minuteMs: DAY - MINUTE_MS, method: 'getBlock', weight: 100 }),
      row({ minuteMs: DAY, network: 'solana-devnet' }),
      row({ minuteMs: DAY + 61 * MINUTE_MS }),
    ];
    await addUsage(store, { writerId: WRITER, number: 1, rows }, DAY);
    const groups = async (by: UsageGroup) => (await all(store, by)).map(({ group, calls }) => [group, calls]);
    expect(await groups('key')).toEqual([[KEY, 6]]);
    expect(await groups('network')).toEqual([
      ['solana-localnet', 4],
      ['solana-devnet', 2],
    ]);
    expect(await groups('method')).toEqual([
      ['getBlock', 2],
      ['getSlot', 4],
    ]);
    expect(await groups('minute')).toEqual([
      ['2025-10-08T23:59:00Z', 2],
      ['2025-10-09T00:00:00Z', 2],
      ['2025-10-09T01:01:00Z', 2],
    ]);
    expect(await groups('hour')).toEqual([
      ['2025-10-08T23:00:00Z', 2],
      ['2025-10-09T00:00:00Z', 2],
      ['2025-10-09T01:00:00Z', 2],
    ]);
    expect(await groups('day')).toEqual([
      ['2025-10-08T00:00:00Z', 2],
      ['2025-10-09T00:00:00Z', 4],
    ]);
  });

  test('groups stand by weight, then by messages, then by refusals', async () => {
    const store = opened();
    const none = { calls: 0, errors: 0, callerErrors: 0, refused: 0, weight: 0, messages: 0 };
    const rows = [
      row({ ...none, method: 'refused', refused: 9 }),
      row({ ...none, method: 'few', messages: 10 }),
      row({ ...none, method: 'many', messages: 11 }),
      row({ ...none, method: 'heavy', calls: 1, weight: 1 }),
    ];
    await addUsage(store, { writerId: WRITER, number: 1, rows }, DAY);
    expect((await all(store, 'method')).map(({ group }) => group)).toEqual([
      ...['heavy', 'many', 'few', 'refused'],
    ]);
  });

  test('is that of an account, of a key, or since a minute', async () => {
    const store = opened();
    const places = { store, keyring: new Keyring() };
    const accountId = await ensureAccount(store, 'acme', DAY);
    const key = await createApiKey(places, { accountId, name: 'web' }, DAY);
    const rows = [row({ keyId: key.id }), row({ minuteMs: DAY + MINUTE_MS })];
    await addUsage(store, { writerId: WRITER, number: 1, rows }, DAY);
    const read = async (own: { accountId?: string; keyId?: string; sinceMs?: number }) =>
      (await readUsage(store, { sinceMs: 0, by: 'key', accountId: undefined, keyId: undefined, ...own })).map(
        ({ group, key: owner }) => [group, owner?.name, owner?.account],
      );
    expect(await read({ accountId })).toEqual([[key.id, 'web', 'acme']]);
    expect(await read({ accountId: randomUUID() })).toEqual([]);
    expect(await read({ keyId: KEY })).toEqual([[KEY, null, null]]);
    expect((await read({ sinceMs: DAY + 59_999 })).length).toBe(2);
    expect((await read({ sinceMs: DAY + MINUTE_MS })).length).toBe(1);
    // What was under way when the key ended is counted later.
    await revokeApiKey({ ...places, store }, key.id, DAY + MINUTE_MS);
    const late = [row({ keyId: key.id, minuteMs: DAY + 600 * MINUTE_MS })];
    await addUsage(store, { writerId: WRITER, number: 2, rows: late }, DAY);
    for (const sinceMs of [0, DAY, DAY + 600 * MINUTE_MS])
      expect(await read({ accountId, sinceMs })).toEqual([[key.id, 'web', 'acme']]);
  });

  test('sums of any span are those of its minutes, by every group, of an account, a key and a member', async () => {
    const store = opened();
    const places = { store, keyring: new Keyring() };
    const accountId = await ensureAccount(store, 'acme', DAY);
    const keys: string[] = [KEY, randomUUID()];
    for (const name of ['web', 'app']) keys.push((await createApiKey(places, { accountId, name }, DAY)).id);
    const login = randomUUID();
    const member = randomUUID();
    await store.db.execute(sql`insert into logins (id, name, email, email_verified, created_at, updated_at)
      values (${login}, 'Ann', 'ann@acme.example', true, now(), now())`);
    await store.db.execute(sql`insert into members (id, account_id, user_id, role, created_at)
      values (${member}, ${accountId}, ${login}, 'owner', now())`);
    keys.push(member);
    const rows = Array.from({ length: 2_000 }, (_, index) =>
      row({
        minuteMs: DAY + ((index * 7_919) % (4 * 1_440)) * MINUTE_MS,
        keyId: keys[index % keys.length] ?? KEY,
        network: `n${index % 2}`,
        method: `m${index % 3}`,
        weight: index,
        messages: 2_000 - index,
      }),
    );
    await addUsage(store, { writerId: WRITER, number: 1, rows: rows.slice(0, 1_500) }, DAY);
    await addUsage(store, { writerId: WRITER, number: 2, rows: rows.slice(1_500) }, DAY);
    const spans = [
      [0, undefined],
      [DAY + 90 * MINUTE_MS, DAY + 3_333 * MINUTE_MS],
      [DAY + 61 * MINUTE_MS, DAY + 119 * MINUTE_MS],
      [DAY + 1_440 * MINUTE_MS, DAY + 2_880 * MINUTE_MS],
      [DAY + 5 * MINUTE_MS, DAY + 5 * MINUTE_MS],
    ] as const;
    const own = keys.slice(2);
    const askers = [
      { asked: { accountId: undefined, keyId: undefined }, held: keys },
      { asked: { accountId, keyId: undefined }, held: own },
      { asked: { accountId, keyId: member }, held: [member] },
      { asked: { accountId, keyId: KEY }, held: [] },
      { asked: { accountId: undefined, keyId: KEY }, held: [KEY] },
    ];
    for (const by of USAGE_GROUPS)
      for (const [sinceMs, untilMs] of spans)
        for (const { asked, held } of askers) {
          const sums = await readUsage(store, { sinceMs, untilMs, by, ...asked });
          const wanted = Map.groupBy(
            rows.filter(
              ({ minuteMs, keyId }) =>
                held.some((one) => one === keyId) && minuteMs >= sinceMs && minuteMs < (untilMs ?? Infinity),
            ),
            (each) => groupOf(each, by),
          );
          const about = [by, sinceMs, untilMs, asked];
          const read = sums.map(({ group, weight, calls, messages }) => [group, { calls, weight, messages }]);
          const added = (of: readonly UsageRow[], figure: 'calls' | 'weight' | 'messages') =>
            of.reduce((sum, each) => sum + each[figure], 0);
          expect([about, Object.fromEntries(read)]).toEqual([
            about,
            Object.fromEntries(
              [...wanted].map(([group, of]) => [
                group,
                {
                  calls: added(of, 'calls'),
                  weight: added(of, 'weight'),
                  messages: added(of, 'messages'),
                },
              ]),
            ),
          ]);
        }
    const named = await readUsage(store, { sinceMs: 0, by: 'key', accountId, keyId: member });
    expect(named.map(({ key }) => key)).toEqual([{ name: 'Dashboard (ann@acme.example)', account: 'acme' }]);
  });

  test('what is older than the retention is deleted in steps of 5,000 rows, and nothing else', async () => {
    const store = opened();
    const old = Array.from({ length: 5_000 }, (_, index) => row({ minuteMs: DAY - (index + 1) * MINUTE_MS }));
    await addUsage(store, { writerId: WRITER, number: 1, rows: old }, DAY - 1);
    await addUsage(
      store,
      { writerId: randomUUID(), number: 1, rows: [row(), row({ minuteMs: DAY - 1, method: 'm' })] },
      DAY,
    );
    expect([await purgeUsage(store, DAY), await purgeUsage(store, DAY)]).toEqual([true, false]);
    expect(await totals(store)).toEqual([2, 1, 3, 4, 5]);
    expect((await store.db.select().from(usageWriters)).length).toBe(1);
  });
});
