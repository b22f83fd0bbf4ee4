import { createClient } from '@redis/client';
import pg from 'pg';
import { expect, test } from 'vitest';
import { startCutProxy } from './faults/cut-proxy.ts';
import { killService } from './faults/gateway-faults.ts';
import { clearRedis } from './gateways/installation.ts';
import { createDatabase, findPostgres, POSTGRES_MISSING } from '../support/postgres.ts';
import { findRedis, REDIS_MISSING, uniquePrefix } from '../support/redis.ts';

const [postgres, redis] = await Promise.all([findPostgres(), findRedis()]);

if (postgres === undefined) test('a killed PostgreSQL', (context) => context.skip(POSTGRES_MISSING));
else test('a killed PostgreSQL breaks off what it is at, and nothing of another database', killPostgres);

async function killPostgres(): Promise<void> {
  await using used = new AsyncDisposableStack();
  const [database, other] = [await createDatabase(postgres ?? ''), await createDatabase(postgres ?? '')];
  used.defer(database.drop);
  used.defer(other.drop);
  const { hostname, port } = new URL(database.url);
  const proxy = await startCutProxy({ host: hostname, port: Number(port || 5_432) });
  used.defer(proxy.close);
  const connect = async (url: string): Promise<pg.Client> => {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
    client.on('error', () => undefined);
    await client.connect();
    return client;
  };
  const throughProxy = Object.assign(new URL(database.url), { hostname: '127.0.0.1', port: proxy.port }).href;
  const [direct, cut, elsewhere] = await Promise.all([database.url, throughProxy, other.url].map(connect));
  if (direct === undefined || cut === undefined || elsewhere === undefined) throw new Error('not connected');
  used.defer(() => elsewhere.end());
  await direct.query('create table kept (value int); insert into kept values (1)');
  await direct.query('begin; insert into kept values (2)');
  const sleeping = expect(direct.query('select pg_sleep(60)')).rejects.toThrow('terminating connection');
  const cutOff = new Promise((resolve) => cut.once('end', () => resolve(undefined)));
  const { what, end } = await killService({ proxies: [proxy], lose: database.breakOff });
  expect(what).toBe('was killed');
  await Promise.all([sleeping, cutOff]);
  await expect(connect(throughProxy)).rejects.toThrow();
  expect((await elsewhere.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  await end();
  const back = await connect(throughProxy);
  expect((await back.query('select value from kept')).rows).toEqual([{ value: 1 }]);
  await back.end();
}

if (redis === undefined) test('a killed Redis', (context) => context.skip(REDIS_MISSING));
else test('a killed Redis comes back without the keys of the lab, and with all others', killRedis);

async function killRedis(): Promise<void> {
  await using used = new AsyncDisposableStack();
  const url = redis ?? '';
  const [prefix, others] = [uniquePrefix(), uniquePrefix()];
  const client = createClient({ url });
  await client.connect();
  used.defer(() => client.destroy());
  used.defer(() => clearRedis(url, others));
  await client.set(`${prefix}a`, '1');
  await client.set(`${others}a`, '1');
  const { end } = await killService({ proxies: [], lose: () => clearRedis(url, prefix) });
  await end();
  expect(await client.exists(`${prefix}a`)).toBe(0);
  expect(await client.exists(`${others}a`)).toBe(1);
}
