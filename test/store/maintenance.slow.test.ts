import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type pg from 'pg';
import pino from 'pino';
import { expect, onTestFinished, test, vi } from 'vitest';
import { sql } from '../../src/store/drizzle.ts';
import type { Store } from '../../src/store/open-store.ts';
import { maintain, startMaintenance } from '../../src/store/pglite/maintenance.ts';
import { usageMinutes } from '../../src/store/tables.ts';
import { eventually } from '../../src/core/eventually.ts';
import { useNewDirectory } from '../support/new-directory.ts';
import { prepareStore } from '../support/prepared-store.ts';
import { useStore } from './backends.ts';

const MIB = 2 ** 20;
const ROWS = 15_000;
/** The least number before each crash. */
const CHANGES = 60;
const MAINTAINED_CHILD = fileURLToPath(new URL('./maintained-child.ts', import.meta.url));

const directory = useNewDirectory();

async function figure(store: Store, expression: ReturnType<typeof sql>): Promise<number> {
  const { rows } = await store.db.execute<{ readonly figure: string }>(sql`select (${expression}) as figure`);
  return Number(rows[0]?.figure);
}

/** The bytes of the log that a start after a crash would read. */
function loggedBytes(store: Store): Promise<number> {
  const logged = sql`pg_wal_lsn_diff(pg_current_wal_insert_lsn(), redo_lsn)`;
  return figure(store, sql`select ${logged} from pg_control_checkpoint()`);
}

/** The bytes that were ever logged. */
const everLogged = (store: Store) => figure(store, sql`pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')`);

const usageBytes = (store: Store) => figure(store, sql`select pg_relation_size('usage_minutes')`);

/** Fills a table, which takes room, does something, and empties it again, which leaves as many dead rows. */
async function leaveDeadRows(store: Store, between = sql`select 1`): Promise<void> {
  const columns = sql`minute, key_id, network, method`;
  await store.db.execute(sql`insert into usage_minutes (${columns})
    select to_timestamp(n * 60), ${randomUUID()}::uuid, 'solana-mainnet', 'getSlot' from generate_series(1, ${ROWS}) n`);
  await store.db.execute(between);
  expect(await usageBytes(store)).toBeGreaterThan(MIB);
  await store.db.delete(usageMinutes);
}

test('the embedded store bounds what it would read after a crash, and gives the room of deleted rows back', async () => {
  prepareStore(directory());
  const store = await useStore({ dataDir: directory() });
  const before = await everLogged(store);
  for (let part = 0; part < 50; part += 1) {
    await store.db.execute(sql`select pg_logical_emit_message(false, 'test', repeat('x', ${4 * MIB}))`);
  }
  expect((await everLogged(store)) - before).toBeGreaterThan(200 * MIB);
  await leaveDeadRows(store, sql`vacuum usage_minutes`);
  await eventually('a checkpoint', async () => (await loggedBytes(store)) < 64 * MIB || undefined);
  await eventually(
    'the table is empty on the disk',
    async () => (await usageBytes(store)) === 0 || undefined,
  );
  const segments = (await readdir(join(directory(), 'store', 'pg_wal'))).filter((name) => name.length === 24);
  expect(segments.length * 16).toBeLessThan(200);
});

test('rows that died before a start are found after it', async () => {
  prepareStore(directory());
  const options = { dataDir: directory() };
  const first = await useStore(options);
  await leaveDeadRows(first);
  await first.close();
  const second = await useStore(options);
  expect(await usageBytes(second)).toBeGreaterThan(MIB);
  await eventually(
    'the table is empty on the disk',
    async () => (await usageBytes(second)) === 0 || undefined,
  );
});

test('a process that is killed between or in checkpoints and vacuums loses nothing that it was told is done', async () => {
  prepareStore(directory());
  let told = 0;
  for (let crash = 1; crash <= 6; crash += 1) {
    const child = fork(MAINTAINED_CHILD, [JSON.stringify({ dataDir: directory() })], { execArgv: [] });
    const exited = once(child, 'exit');
    const [first] = await once(child, 'message');
    expect(first).toBeGreaterThan(told);
    told = first as number;
    let isKilled = false;
    child.on('message', (n) => {
      told = n as number;
      if (isKilled || told < (first as number) + CHANGES) return;
      isKilled = true;
      setTimeout(() => child.kill('SIGKILL'), Math.random() * 20);
    });
    await exited;
    expect(isKilled).toBe(true);
  }
});

/** A store that answers what maintenance asks, with tables that are due, and what it was told to do. */
function scripted(loggedMib: number, tables: readonly string[]) {
  const told: string[] = [];
  const query = async (text: string) => {
    if (text.includes('pg_control_checkpoint')) return { rows: [{ bytes: loggedMib * MIB }] };
    if (text.includes('pg_stat_user_tables'))
      return { rows: tables.map((table) => ({ schema: 'a"b', table })) };
    told.push(text);
    if (text.includes('broken')) throw new Error('a page is broken');
    return { rows: [] };
  };
  return { pool: { query } as unknown as pg.Pool, told };
}

test.each([
  [63, [], []],
  [64, [], ['checkpoint']],
  [64, ['one', 'two'], ['vacuum "a""b"."one"']],
  [128, ['one', 'two'], ['checkpoint']],
] as const)(
  'with %i MiB logged and the tables %j due it does one thing: %j',
  async (logged, tables, done) => {
    const { pool, told } = scripted(logged, tables);
    await maintain(pool);
    expect(told).toEqual(done);
  },
);

test('a table that cannot be vacuumed keeps neither others nor the checkpoint from their turn', async () => {
  const first = scripted(64, ['broken', 'sound']);
  await expect(maintain(first.pool)).rejects.toThrow('a page is broken');
  expect(first.told).toEqual(['vacuum "a""b"."broken"', 'vacuum "a""b"."sound"']);
  const second = scripted(64, ['broken']);
  await expect(maintain(second.pool)).rejects.toThrow('a page is broken');
  expect(second.told).toEqual(['vacuum "a""b"."broken"', 'checkpoint']);
});

test('maintenance that fails is told once and tried again, and ends with the store', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const warnings: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line) => void warnings.push(line) });
  const query = vi.fn(() => Promise.reject(new Error('no room on the disk')));
  const stop = startMaintenance({ query } as unknown as pg.Pool, log);
  await vi.advanceTimersByTimeAsync(16_000);
  expect(query).toHaveBeenCalledTimes(3);
  expect(warnings).toEqual([expect.stringContaining('no room on the disk')]);
  stop();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(query).toHaveBeenCalledTimes(3);
});
