import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import pg from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { FromWorker, ToWorker } from '../../src/store/pglite/worker.ts';
import {
  type StoreThread,
  startStoreThread,
  type Wire,
  WireStream,
} from '../../src/store/pglite/supervised-thread.ts';
import { prepareStore } from '../support/prepared-store.ts';
import { useDataDir } from './backends.ts';

const dataDir = useDataDir();
const otherDir = useDataDir();
let thread: StoreThread;
beforeAll(async () => {
  prepareStore(dataDir());
  thread = await startStoreThread(join(dataDir(), 'store'));
});
afterAll(() => thread.close());

async function connect(
  wire: Wire = thread,
): Promise<{ readonly client: pg.Client; readonly stream: WireStream }> {
  const stream = new WireStream(wire);
  const client = new pg.Client({ stream: () => stream, ssl: false, user: 'postgres', query_timeout: 5_000 });
  client.on('error', vi.fn()); // a connection that is cut reports it; the tests look at what comes after
  await client.connect();
  return { client, stream };
}

test('runs PostgreSQL with fsync on', async () => {
  const { client } = await connect();
  const { rows } = await client.query(
    "select name, setting from pg_settings where name in ('fsync', 'wal_sync_method') order by 1",
  );
  expect(rows).toEqual([
    { name: 'fsync', setting: 'on' },
    { name: 'wal_sync_method', setting: 'fsync' },
  ]);
  await client.end();
});

test('a connection that is cut leaves no transaction, setting or prepared statement to the next', async () => {
  const first = await connect();
  await first.client.query('create table kept (n int)');
  await first.client.query({ name: 'prepared', text: 'select 1' });
  await first.client.query("set application_name to 'left over'");
  await first.client.query('begin; insert into kept values (1)');
  first.stream.destroy();

  const { client } = await connect();
  expect((await client.query('select * from kept')).rows).toEqual([]);
  expect((await client.query('show application_name')).rows).not.toEqual([{ application_name: 'left over' }]);
  expect((await client.query('select name from pg_prepared_statements')).rows).toEqual([]);
  await client.end();
});

test('an error inside a pipeline is answered, and the connection continues', async () => {
  const { client } = await connect();
  await expect(client.query('select $1::int', ['x'])).rejects.toMatchObject({ code: '22P02' });
  await expect(client.query('select nothing from nowhere where 1 = $1', [1])).rejects.toMatchObject({
    code: '42P01',
  });
  expect((await client.query('select $1::int as n', [2])).rows).toEqual([{ n: 2 }]);
  await client.end();
});

test('a thread that ended fails its connections at once', async () => {
  const { client } = await connect();
  await thread.close();
  await expect(client.query('select 1')).rejects.toThrow(/closed|terminated|not queryable/);
  const late = new pg.Client({ stream: () => new WireStream(thread), ssl: false, user: 'postgres' });
  await expect(late.connect()).rejects.toThrow('the store is closed');
});

test('the thread keeps nothing of what it has answered', async () => {
  const directory = join(otherDir(), 'store');
  prepareStore(otherDir());
  const worker = new Worker(new URL('../../src/store/pglite/worker.ts', import.meta.url), {
    workerData: { directory },
    resourceLimits: { maxOldGenerationSizeMb: 48 },
  });
  await once(worker, 'message');
  const { client } = await connect(wireOf(worker));
  for (let time = 0; time < 40; time += 1) {
    const { rowCount } = await client.query('select n, n from generate_series(1, 20000) as n');
    expect(rowCount).toBe(20_000);
  }
  await client.end();
  const ended = once(worker, 'exit');
  worker.postMessage({ kind: 'close' } satisfies ToWorker);
  expect(await ended).toEqual([0]);
});

/** The wire to a thread that was started by hand. */
function wireOf(worker: Worker): Wire {
  return {
    connect(receive, lose) {
      worker.on('message', (message: FromWorker) => message.kind === 'bytes' && receive(message.bytes));
      worker.on('error', lose);
      worker.postMessage({ kind: 'connect', session: 1 } satisfies ToWorker);
      return (bytes) => {
        worker.postMessage({ kind: 'bytes', session: 1, bytes: new Uint8Array(bytes) } satisfies ToWorker);
      };
    },
  };
}
