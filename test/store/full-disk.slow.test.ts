import { chownSync, mkdirSync, statSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { sql } from '../../src/store/drizzle.ts';
import type { Store } from '../../src/store/open-store.ts';
import { withStoreFaults } from '../../src/store/store-errors.ts';
import { eventually } from '../../src/core/eventually.ts';
import { findPostgres, POSTGRES_MISSING } from '../support/postgres.ts';
import { prepareStore } from '../support/prepared-store.ts';
import { mountSmallDisk, SMALL_DISK_MISSING } from '../support/small-disk.ts';
import { useStore } from './backends.ts';

const ROWS = 2_000;
const DISK_FULL = { code: 'storeUnavailable', context: { fault: 'disk_full' } };

/** Two megabytes of rows. */
function insertRows(store: Store): Promise<unknown> {
  return withStoreFaults('it', () =>
    store.db.execute(sql`insert into filled select repeat('x', 1000) from generate_series(1, ${ROWS})`),
  );
}

/** Leaves the pages of the rows, so that new ones need no room but in the log. */
async function removeRows(store: Store): Promise<void> {
  await store.db.execute(sql`delete from filled`);
  await store.db.execute(sql`vacuum (truncate false) filled`);
}

test('a disk without room for a table is told by each statement and by the ping, and forgotten when there is room', async (context) => {
  const disk = mountSmallDisk(128);
  if (disk === undefined) return context.skip(SMALL_DISK_MISSING);
  onTestFinished(disk.unmount);
  const dataDir = join(disk.path, 'data');
  mkdirSync(dataDir);
  prepareStore(dataDir);
  const store = await useStore({ dataDir });
  await store.db.execute(sql`create table filled (filler text)`);
  await store.ping();
  disk.fill();
  await expect(insertRows(store)).rejects.toMatchObject(DISK_FULL);
  await expect(store.ping()).rejects.toMatchObject(DISK_FULL);
  expect((await store.db.execute(sql`select count(*)::int as n from filled`)).rows).toEqual([{ n: 0 }]);
  disk.makeRoom();
  await store.ping();
  await insertRows(store);
});

test('a disk without room for the log ends PostgreSQL, which starts by itself with all that was committed', async (context) => {
  const disk = mountSmallDisk(128);
  if (disk === undefined) return context.skip(SMALL_DISK_MISSING);
  onTestFinished(disk.unmount);
  const dataDir = join(disk.path, 'data');
  mkdirSync(dataDir);
  prepareStore(dataDir);
  const store = await useStore({ dataDir });
  await store.db.execute(sql`create table filled (filler text)`);
  await store.db.execute(sql`create table kept as select 1 as n`);
  await insertRows(store);
  await removeRows(store);
  disk.fill();
  const work = async (): Promise<void> => {
    for (let round = 0; round < 30; round += 1) {
      await insertRows(store);
      await removeRows(store);
    }
  };
  await expect(withStoreFaults('it', work)).rejects.toMatchObject(DISK_FULL);
  await expect(store.ping()).rejects.toMatchObject({ code: 'storeUnavailable' });
  disk.makeRoom();
  await eventually('the store runs again', () =>
    store.ping().then(
      () => true,
      () => undefined,
    ),
  );
  await insertRows(store);
  expect((await store.db.execute(sql`select n from kept`)).rows).toEqual([{ n: 1 }]);
});

test('PostgreSQL on a full disk is reported in the same way', async (context) => {
  const url = await findPostgres();
  if (url === undefined) return context.skip(POSTGRES_MISSING);
  const disk = mountSmallDisk(64, '/var/tmp');
  if (disk === undefined) return context.skip(SMALL_DISK_MISSING);
  onTestFinished(disk.unmount);
  const owner = ownerOfPostgres();
  if (owner === undefined)
    return context.skip('PostgreSQL does not run on this machine as the user postgres');
  const location = join(disk.path, 'tables');
  mkdirSync(location);
  chownSync(location, owner, owner);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const name = `keyslot_test_${randomBytes(6).toString('hex')}`;
  await client.query(`create tablespace ${name} location '${location}'`);
  await client.query(`create database ${name} tablespace ${name}`);
  onTestFinished(async () => {
    await client.query(`drop database ${name} with (force)`);
    await client.query(`drop tablespace ${name}`);
    await client.end();
  });
  const databaseUrl = new URL(url);
  databaseUrl.pathname = `/${name}`;
  const dataDir = join(disk.path, 'data');
  mkdirSync(dataDir);
  const store = await useStore({ dataDir, databaseUrl: databaseUrl.href });
  await store.db.execute(sql`create table filled (filler text)`);
  await store.ping();
  disk.fill();
  await expect(insertRows(store)).rejects.toMatchObject(DISK_FULL);
  await expect(store.ping()).rejects.toMatchObject(DISK_FULL);
  disk.makeRoom();
  await store.ping();
  await insertRows(store);
});

/** The user whose files PostgreSQL can use; undefined where it runs elsewhere. */
function ownerOfPostgres(): number | undefined {
  try {
    const id = Number(execFileSync('id', ['-u', 'postgres'], { stdio: ['ignore', 'pipe', 'ignore'] }));
    return statSync('/var/run/postgresql').isDirectory() ? id : undefined;
  } catch {
    return undefined;
  }
}
