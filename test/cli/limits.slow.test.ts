import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { prepareStore } from '../support/prepared-store.ts';
import { useCommands } from './use-commands.ts';

/** A test starts up to three servers, one after the other. */

const { directory, run, json, newNode, serve } = useCommands();

const CALL = '{"jsonrpc":"2.0","id":1,"method":"getSlot"}';

const batchOf = (calls: number): string => `[${Array.from({ length: calls }, () => CALL).join()}]`;

type Key = { readonly id: string; readonly key: string; readonly plan: string };
type Usage = { readonly rows: readonly Readonly<Record<string, string | number | null>>[] };

test('on a running server plans hold from the next request on, and usage is told until now', async () => {
  const node = await newNode();
  const { server, post } = await serve({ KEYSLOT_UPSTREAM_URL: node.url });
  const status = async (key: string): Promise<number> => (await post(key, CALL)).status;

  const acme = await json<Key>('keys', 'create', '--account', 'acme', '--name', 'web');
  const other = await json<Key>('keys', 'create', '--account', 'other');
  expect([acme.plan, other.plan]).toEqual(['developer', 'developer']);
  expect((await post(acme.key, CALL)).headers.get('ratelimit-policy')).toBe('"developer";q=500;w=5');

  const tiny = ['--requests-per-second', '1', '--burst', '20'];
  expect(await json('plans', 'set', 'tiny', ...tiny)).toEqual({
    name: 'tiny',
    requests_per_second: 1,
    burst: 20,
    source: 'store',
  });
  await json('plans', 'assign', 'acme', 'tiny');
  expect([await status(acme.key), await status(acme.key)]).toEqual([200, 200]);
  const batch = await post(acme.key, batchOf(19));
  expect([batch.status, batch.headers.get('ratelimit-policy')]).toEqual([429, '"tiny";q=20;w=20']);
  expect(await status(other.key)).toBe(200);

  await json('plans', 'set', 'tiny', '--requests-per-second', '1', '--burst', '21');
  expect((await post(acme.key, batchOf(21))).status).toBe(200);

  expect((await json<Usage>('usage')).rows).toEqual([
    {
      key: acme.id,
      name: 'web',
      account: 'acme',
      calls: 24,
      errors: 0,
      caller_errors: 0,
      refused: 19,
      weight: 24,
      messages: 0,
    },
    {
      key: other.id,
      name: 'unnamed',
      account: 'other',
      calls: 1,
      errors: 0,
      caller_errors: 0,
      refused: 0,
      weight: 1,
      messages: 0,
    },
  ]);
  await post(acme.key, '{"jsonrpc":"2.0","id":1,"method":"getBlock"}');
  const filtered = await json<Usage>('usage', '--account', 'acme', '--by', 'method', '--since', '1h');
  expect(filtered.rows).toMatchObject([
    { method: 'getSlot', calls: 24 },
    { method: 'getBlock', refused: 1 },
  ]);

  const listed = await run('keys', 'list');
  expect(listed.stdout).toMatch(/ACCOUNT +PLAN +NAME/);
  expect(listed.stdout).toMatch(/acme +tiny +web/);
  expect(listed.stdout).not.toContain('ALLOWED FROM');
  expect(server.stderr()).not.toContain(acme.key);
});

test('usage is stored when the server stops, and continues when it starts again', async () => {
  const node = await newNode();
  const first = await serve({ KEYSLOT_UPSTREAM_URL: node.url });
  const { api_key } = JSON.parse(readFileSync(join(directory(), 'dev.json'), 'utf8')) as { api_key: string };
  await first.post(api_key, CALL);
  await first.server.stop();
  expect((await json<Usage>('usage')).rows).toMatchObject([{ account: 'development', calls: 1 }]);
  const second = await serve({ KEYSLOT_UPSTREAM_URL: node.url });
  await second.post(api_key, CALL);
  expect((await json<Usage>('usage', '--by', 'day')).rows).toMatchObject([{ calls: 2, weight: 2 }]);
  const { stdout } = await run('usage', '--by', 'method');
  expect(stdout).toMatch(
    /METHOD +CALLS +ERRORS +CALLER ERRORS +REFUSED +WEIGHT +MESSAGES\ngetSlot +2 +0 +0 +0 +2 +0\n$/,
  );
});

test('the development account has a plan that nobody meets by accident, and can be given another one', async () => {
  const node = await newNode();
  const { post } = await serve({ KEYSLOT_UPSTREAM_URL: node.url });
  const { api_key } = JSON.parse(readFileSync(join(directory(), 'dev.json'), 'utf8')) as { api_key: string };
  const policy = async () => (await post(api_key, CALL)).headers.get('ratelimit-policy');
  expect(await policy()).toBe('"development";q=1000000;w=10');
  const { stdout } = await run('plans', 'assign', 'development', 'developer');
  expect(stdout).toBe(
    'The account development has the plan developer: 100 requests per second with bursts of 500 for each key.\n',
  );
  expect(await policy()).toBe('"developer";q=500;w=5');
});

test('without a server, plans and usage are those of the store', async () => {
  prepareStore(directory());
  await json('keys', 'create', '--account', 'acme', '--origin', 'https://a.example', '--cidr', '10.0.0.0/8');
  await json('plans', 'set', 'own', '--requests-per-second', '20', '--burst', '40');
  await json('plans', 'assign', 'acme', 'own');
  expect(await json('plans', 'assign', 'acme')).toMatchObject({
    account: 'acme',
    plan: { name: 'own', burst: 40 },
  });
  expect((await run('plans', 'set', 'own')).stdout).toBe(
    'The plan own allows 20 requests per second with bursts of 40 for each key (set by: keyslot plans set).\n',
  );
  const { stdout } = await run('plans', 'list');
  expect(stdout).toMatch(/PLAN +REQUESTS\/S +BURST +ACCOUNTS +SET BY\n/);
  expect(stdout).toMatch(/developer +100 +500 +0 +specification \(default\)\n/);
  expect(stdout).toMatch(/own +20 +40 +1 +keyslot plans set\n/);
  expect((await run('keys', 'list')).stdout).toMatch(
    /ALLOWED FROM\n.* own .* https:\/\/a\.example 10\.0\.0\.0\/8\n/,
  );
  expect((await run('usage')).stdout).toMatch(/^No calls and no pushed messages since /);
  const missing = await run('plans', 'remove', 'gold');
  expect([missing.end, missing.stdout]).toEqual(['exit code 1', '']);
  expect(missing.stderr).toContain(
    'There is no plan gold; expected one of developer, development, own, production',
  );
  const inUse = await run('plans', 'remove', 'own');
  expect([inUse.end, inUse.stderr]).toEqual([
    'exit code 1',
    expect.stringContaining('assigned to 1 account'),
  ]);
  await json('plans', 'assign', 'acme', 'developer');
  expect((await run('plans', 'remove', 'own')).stdout).toBe('Removed the plan own.\n');
});

test.each([
  [['plans'], 2, 'expected a subcommand: list, set, remove, assign'],
  [['plans', 'list', 'x'], 2, 'unexpected argument "x"'],
  [['plans', 'set'], 2, 'missing NAME'],
  [['plans', 'set', 'a', '--burst', '20'], 2, 'missing --requests-per-second N'],
  [['plans', 'set', 'gold'], 1, 'There is no plan gold'],
  [
    ['plans', 'set', 'a', '--requests-per-second', 'ten', '--burst', '20'],
    2,
    '--requests-per-second must be a whole number, got "ten"',
  ],
  [['plans', 'set', 'a', '--requests-per-second', '10', '--burst', '-1'], 2, '--burst'],
  [
    ['plans', 'set', 'a', '--requests-per-second', '10', '--burst', '9'],
    2,
    'burst is 9; must be an integer from',
  ],
  [
    ['plans', 'set', 'a', '--requests-per-second', '1', '--burst', '19'],
    2,
    'burst is 19; must be at least 20, the weight of a call of getLargestAccounts or getProgramAccounts',
  ],
  [['plans', 'set', 'a', '--requests-per-second', '0', '--burst', '9'], 2, 'from 1 to 1000000'],
  [
    ['plans', 'set', 'A b', '--requests-per-second', '10', '--burst', '20'],
    2,
    'begin with a letter or digit, got "A b"',
  ],
  [['plans', 'assign'], 2, 'missing ACCOUNT'],
  [['plans', 'assign', 'acme'], 1, 'There is no account acme'],
  [['usage', '--by', 'week'], 2, 'key, network, method, minute, hour, day'],
  [['usage', '--since', 'yesterday'], 2, 'got "yesterday"'],
  [['usage', '--since', '2999-01-01'], 2, 'in the past'],
  [['usage', '--key', 'nonsense'], 1, 'no API key with the id nonsense'],
])('%j ends with a line that says why', async (args, code, reason) => {
  const { end, stdout, stderr } = await run(...args);
  expect([end, stdout]).toEqual([`exit code ${code}`, '']);
  expect(stderr).toContain(reason);
});
