import { existsSync, readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { MoveResult } from '../../../src/operate/backup/move-store.ts';
import type { BackupVerdict } from '../../../src/operate/backup/verify-backup.ts';
import { useCommands } from '../../cli/use-commands.ts';
import { eventually } from '../../../src/core/eventually.ts';
import { useNewDirectory } from '../../support/new-directory.ts';
import { createDatabase, findPostgres, POSTGRES_MISSING } from '../../support/postgres.ts';
import { createManaged, signWith } from './served.ts';
import { schemasOf } from './schemas-of.ts';

/** A test starts several servers one after the other. */

const postgresUrl = await findPostgres();

describe.skipIf(postgresUrl === undefined)(`a store that moves to a PostgreSQL (${POSTGRES_MISSING})`, () => {
  const { directory, start, run, runAlone, json, newNode, serve } = useCommands('group');
  const outside = useNewDirectory('group');
  const at = (name: string): string => join(outside(), name);
  const databases: Awaited<ReturnType<typeof createDatabase>>[] = [];
  let wallets: readonly string[] = [];
  let nodeUrl = '';

  const newDatabase = async (): Promise<string> => {
    const database = await createDatabase(postgresUrl ?? '');
    databases.push(database);
    return database.url;
  };
  const sessionsOf = async (url: string): Promise<number> => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    const { rows } = await client.query(
      "select 1 from pg_stat_activity where datname = current_database() and application_name like 'keyslot%'",
    );
    await client.end();
    return rows.length;
  };

  const putBack = (): void => renameSync(join(directory(), 'store.moved'), join(directory(), 'store'));
  /** Kills a move that has begun. If it is over before that is seen, another one is begun. @returns the database that it was to. */
  const killMove = async (): Promise<string> => {
    for (let tries = 1; tries <= 10; tries += 1) {
      const url = await newDatabase();
      const child = start(['store', 'move', '--to', url]);
      const look = async (): Promise<true | undefined> =>
        child.ended() !== undefined ||
        (await schemasOf(url)).some((name) => name.startsWith('keyslot_draft_')) ||
        undefined;
      await eventually('the move has begun', look, { intervalMs: 5 });
      if (child.ended() === undefined) process.kill(child.pid, 'SIGKILL');
      const end = await eventually('it has ended', child.ended);
      if (end === 'signal SIGKILL') return url;
      if (end !== 'exit code 0') throw new Error(`it ended before: ${end} ${child.stderr()}`);
      putBack();
    }
    throw new Error('ten moves were over before they were killed');
  };

  beforeAll(async () => {
    const node = await newNode();
    nodeUrl = node.url;
    const { server } = await serve({ KEYSLOT_UPSTREAM_URL: nodeUrl });
    wallets = await createManaged(directory(), 20);
    await server.stop();
  });
  afterAll(async () => {
    for (const { drop } of databases) await drop();
  });

  test('is refused while a server runs on it, and into a database that has tables', async () => {
    const url = await newDatabase();
    const { server } = await serve({ KEYSLOT_UPSTREAM_URL: nodeUrl });
    const served = await run('store', 'move', '--to', url);
    expect([served.end, served.stderr]).toEqual([
      'exit code 1',
      expect.stringContaining('a server is running on it: stop it first'),
    ]);
    await server.stop();
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query('create schema keyslot; create table keyslot.something (id int)');
    await client.end();
    const filled = await run('store', 'move', '--to', url);
    expect([filled.end, filled.stderr]).toEqual([
      'exit code 1',
      expect.stringContaining('its schema keyslot has 1 tables, and must be empty'),
    ]);
    expect(readdirSync(directory())).toContain('store');
  });

  test('is as it was when the move is killed, and the next one leaves nothing of it', async () => {
    const url = await killMove();
    expect(await schemasOf(url)).not.toContain('keyslot');
    expect(readdirSync(directory())).toContain('store');
    await eventually('PostgreSQL has noticed', async () => (await sessionsOf(url)) === 0 || undefined);
    const moved = await runAlone(['store', 'move', '--to', url]);
    expect([moved.end, moved.stderr]).toEqual(['exit code 0', '']);
    expect(await schemasOf(url)).toEqual(['keyslot']);
    putBack();
  });

  test('is the same there: counts, audit log and books; a server continues with it; its backup is restored into another', async () => {
    const url = await newDatabase();
    const moved = await json<MoveResult>('store', 'move', '--to', url);
    expect(moved.checks.map(({ name, ok }) => [name, ok])).toEqual([
      ['audit log', true],
      ['books', true],
      ['destroyed keys', true],
    ]);
    expect(moved.tables.wallets).toBe(20);
    expect(moved.old_store).toBe(join(directory(), 'store.moved'));
    expect(readdirSync(directory())).not.toContain('store');
    expect(await schemasOf(url)).toEqual(['keyslot']);

    const { server } = await serve({ KEYSLOT_UPSTREAM_URL: nodeUrl, KEYSLOT_DATABASE_URL: url });
    expect(new Set(await signWith(directory(), wallets))).toEqual(new Set([200]));
    expect((await createManaged(directory(), 3)).length).toBe(3);
    const { recipient } = await json<{ recipient: string }>('backup', 'key', at('key.txt'));
    const env = { KEYSLOT_DATABASE_URL: url };
    const made = await runAlone(['backup', 'create', at('a.age'), '--recipient', recipient, '--json'], env);
    expect([made.end, made.stderr]).toEqual(['exit code 0', '']);
    await server.stop();

    const verdict = await json<BackupVerdict>('backup', 'verify', at('a.age'), '--key', at('key.txt'));
    expect([verdict.is_sound, verdict.store, verdict.tables.wallets]).toEqual([true, 'postgres', 23]);

    const beside = at('files-only');
    const files = [
      'restore',
      at('a.age'),
      '--key',
      at('key.txt'),
      '--data-dir',
      beside,
      '--files-only',
      '--json',
    ];
    const restoredFiles = await runAlone(files, env);
    expect([restoredFiles.end, restoredFiles.stderr]).toEqual(['exit code 0', '']);
    const again = await serve({ ...env, KEYSLOT_UPSTREAM_URL: nodeUrl, KEYSLOT_DATA_DIR: beside });
    expect(new Set(await signWith(beside, wallets))).toEqual(new Set([200]));
    await again.server.stop();
    const withoutDatabase = await run(...files.slice(0, 4), '--data-dir', at('none'), '--files-only');
    expect(withoutDatabase.stderr).toContain('the store is among the files');

    const other = await newDatabase();
    const place = at('restored');
    const args = ['restore', at('a.age'), '--key', at('key.txt'), '--data-dir', place, '--json'];
    const restored = await runAlone(args, { KEYSLOT_DATABASE_URL: other });
    expect([restored.end, restored.stderr]).toEqual(['exit code 0', '']);
    expect(await schemasOf(other)).toEqual(['keyslot']);
    expect(existsSync(join(place, 'store'))).toBe(false);
    await serve({
      KEYSLOT_UPSTREAM_URL: nodeUrl,
      KEYSLOT_DATABASE_URL: other,
      KEYSLOT_DATA_DIR: place,
    });
    expect(new Set(await signWith(place, wallets))).toEqual(new Set([200]));
    const twice = await runAlone(args, { KEYSLOT_DATABASE_URL: other });
    expect([twice.end, twice.stderr]).toEqual(['exit code 1', expect.stringContaining('is not empty')]);
  });
});
