import { once } from 'node:events';
import { mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { sql } from '../../src/store/drizzle.ts';
import { expect, onTestFinished, test } from 'vitest';
import { openStore } from '../../src/store/open-store.ts';
import { describeStores, SILENT, useStore } from './backends.ts';
import { startHolder } from './crash.ts';
import { prepareStore } from '../support/prepared-store.ts';

async function newDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'keyslot-open-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

/** A database that hangs up, on a free port. */
async function startSilentServer(): Promise<{ readonly server: Server; readonly port: number }> {
  const server = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, port: (server.address() as AddressInfo).port };
}

describeStores('openers at once', (backend) => {
  test(
    backend.kind === 'pglite' ? 'leave the store to one of them' : 'migrate once between them',
    async () => {
      const place = backend.kind === 'pglite' ? { dataDir: await newDirectory() } : backend.place();
      const outcomes = await Promise.allSettled([1, 2, 3, 4].map(() => openStore(place, SILENT)));
      const opened = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
      const refusals = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
      const { rows } = (await opened[0]?.db.execute(
        sql`select count(*)::int as n, count(distinct hash)::int as d from migrations`,
      )) ?? { rows: [] };
      for (const store of opened) await store.close();

      expect(opened).toHaveLength(backend.kind === 'pglite' ? 1 : 4);
      expect(refusals.map(({ code }) => code)).toEqual(
        backend.kind === 'pglite' ? Array(3).fill('dataDirectoryLocked') : [],
      );
      expect(rows[0]?.n).toBe(rows[0]?.d);
    },
  );
});

test('a process that has the embedded store open is named to the next, which may have it when that one is dead', async () => {
  const dataDir = await newDirectory();
  prepareStore(dataDir);
  const holder = await startHolder({ dataDir });
  await expect(openStore({ dataDir }, SILENT)).rejects.toMatchObject({
    code: 'dataDirectoryLocked',
    message: `The data directory ${dataDir} is in use by process ${holder.pid}`,
  });
  await holder.kill();
  await (await useStore({ dataDir })).ping();
});

test('a data directory that the store makes can be read by its owner only', async () => {
  const dataDir = join(await newDirectory(), 'made', 'here');
  await useStore({ dataDir });
  expect((await stat(dataDir)).mode & 0o777).toBe(0o700);
});

test('an embedded store whose creation was cut off is made again', async () => {
  const dataDir = await newDirectory();
  prepareStore(dataDir);
  await rm(join(dataDir, 'store', 'global'), { recursive: true });
  await writeFile(join(dataDir, 'store.unfinished'), '');
  await (await useStore({ dataDir })).ping();
});

test('an embedded store that is damaged is reported and left as it is, and the lock is given back', async () => {
  const dataDir = await newDirectory();
  prepareStore(dataDir);
  await rm(join(dataDir, 'store', 'global'), { recursive: true });
  for (let attempt = 0; attempt < 2; attempt += 1) {
    await expect(openStore({ dataDir }, SILENT)).rejects.toMatchObject({
      code: 'storeUnavailable',
      context: { where: `embedded store ${join(dataDir, 'store')}` },
    });
  }
  expect((await stat(join(dataDir, 'store', 'base'))).isDirectory()).toBe(true);
});

test('an embedded store that needed temporary files opens again', async () => {
  const dataDir = await newDirectory();
  prepareStore(dataDir);
  await mkdir(join(dataDir, 'store', 'base', 'pgsql_tmp'));
  await (await useStore({ dataDir })).ping();
});

test('a PostgreSQL that is not there is named without its password', async () => {
  const { server, port } = await startSilentServer();
  await new Promise((done) => server.close(done));
  const databaseUrl = `postgres://keeper:hunter2@127.0.0.1:${port}/vault`;
  const failure: unknown = await openStore({ dataDir: await newDirectory(), databaseUrl }, SILENT).catch(
    (error: unknown) => error,
  );
  expect(inspect(failure)).not.toContain('hunter2');
  expect(failure).toMatchObject({
    code: 'storeUnavailable',
    message: `PostgreSQL keeper@127.0.0.1:${port}/vault: connect ECONNREFUSED 127.0.0.1:${port}`,
  });
});

test('a database that hangs up is reported', async () => {
  const { server, port } = await startSilentServer();
  onTestFinished(() => void server.close());
  const databaseUrl = `postgres://keeper:hunter2@127.0.0.1:${port}/vault`;
  await expect(openStore({ dataDir: await newDirectory(), databaseUrl }, SILENT)).rejects.toMatchObject({
    code: 'storeUnavailable',
  });
});

test.each(['mysql://keeper:hunter2@127.0.0.1/vault', 'postgres://keeper:hunter2@[/vault', 'hunter2'])(
  'a database address of another form is refused without repeating it (%#)',
  async (databaseUrl) => {
    const failure: unknown = await openStore({ dataDir: await newDirectory(), databaseUrl }, SILENT).catch(
      (error: unknown) => error,
    );
    expect(failure).toMatchObject({ code: 'storeUnavailable', context: { where: 'KEYSLOT_DATABASE_URL' } });
    expect(inspect(failure)).not.toContain('hunter2');
  },
);
