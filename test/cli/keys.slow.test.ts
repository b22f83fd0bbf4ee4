import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { startHolder } from '../store/crash.ts';
import { eventually } from '../../src/core/eventually.ts';
import type { NodeProcess } from '../support/node-process.ts';
import { createDatabase, findPostgres, POSTGRES_MISSING } from '../support/postgres.ts';
import { prepareStore } from '../support/prepared-store.ts';
import { printedBy, useCommands } from './use-commands.ts';

/** A test starts up to three servers, one after the other. */

const commands = useCommands();
const { directory, newNode, start, runAlone, atEnd } = commands;

const run = (...args: readonly string[]) => commands.run('keys', ...args);

type Printed = {
  readonly id: string;
  readonly key: string;
  readonly replaces: { readonly id: string; readonly valid_until: string };
  readonly revoked_at: string;
  readonly keys: readonly Readonly<Record<string, string | null>>[];
};

/** Runs a command that must succeed; what it prints as JSON. */
const json = (...args: readonly string[]): Promise<Printed> => commands.json('keys', ...args);

/** The answer of a server to a key. */
type Answers = (
  key: string,
  headers?: Readonly<Record<string, string>>,
) => Promise<readonly [status: number, code: number | undefined]>;

/** A server, and how it answers a key: the HTTP status and the code of the error. */
async function serve(args: readonly string[], env: Readonly<Record<string, string>>, on = commands) {
  const { server, post } = await on.serve(env, args);
  const answer: Answers = async (key, headers = {}) => {
    const response = await post(key, '{"jsonrpc":"2.0","id":1,"method":"getSlot"}', headers);
    const { error } = (await response.json()) as { error?: { code: number } };
    return [response.status, error?.code];
  };
  return { server, answer };
}

const VALID = [200, undefined];

describe('on a running server', () => {
  const commands = useCommands('group');
  const { directory, start } = commands;
  const run = (...args: readonly string[]) => commands.run('keys', ...args);
  const json = (...args: readonly string[]): Promise<Printed> => commands.json('keys', ...args);
  let upstream: string;
  let server: NodeProcess;
  let answer: Answers;

  beforeAll(async () => {
    upstream = (await commands.newNode()).url;
    ({ server, answer } = await serve([], { KEYSLOT_UPSTREAM_URL: upstream }, commands));
  });

  test('list shows every key with its state and no key', async () => {
    const first = await json('create', '--name', 'a', '--account', 'acme');
    const second = await json('rotate', first.id, '--overlap', '0s');
    const other = await json('create');
    await json('revoke', other.id);
    const keys = (await json('list')).keys.filter(({ account }) => account !== 'development');
    expect(keys.map(({ id, name, account, state }) => [id, name, account, state])).toEqual([
      [first.id, 'a', 'acme', 'expired'],
      [second.id, 'a', 'acme', 'valid'],
      [other.id, 'unnamed', 'default', 'revoked'],
    ]);
    expect((await json('list', '--account', 'default')).keys.map(({ id }) => id)).toEqual([other.id]);
    const printed = JSON.stringify(keys) + (await run('list')).stdout;
    expect(printed).toContain(first.id);
    for (const { key } of [first, second, other]) {
      expect(printed).toContain(key.slice(0, 11));
      expect(printed).not.toContain(key.slice(0, 12));
    }
  });

  test('keys work, end and are refused at once', async () => {
    expect(statSync(join(directory(), 'admin.sock')).mode & 0o777).toBe(0o600);

    const first = await json('create', '--name', 'web', '--account', 'acme');
    expect(first).toMatchObject({ name: 'web', account: 'acme' });
    expect(await answer(first.key)).toEqual(VALID);

    const second = await json('rotate', first.id, '--overlap', '1h');
    expect(Date.parse(second.replaces.valid_until)).toBeGreaterThan(Date.now() + 3_500_000);
    expect([await answer(first.key), await answer(second.key)]).toEqual([VALID, VALID]);

    const third = await json('rotate', second.id, '--overlap', '0s');
    expect(await answer(second.key)).toEqual([401, -32063]);
    expect(await answer(third.key)).toEqual(VALID);

    expect((await json('revoke', third.id)).id).toBe(third.id);
    expect(await answer(third.key)).toEqual([401, -32042]);
    expect(await answer('ks_key_nobody')).toEqual([401, -32041]);

    const rules = ['--origin', 'https://a.example', '--origin', 'https://b.example', '--cidr', '127.0.0.0/8'];
    const page = await json('create', ...rules);
    expect(page).toMatchObject({
      origins: ['https://a.example', 'https://b.example'],
      cidrs: ['127.0.0.0/8'],
    });
    expect(await answer(page.key)).toEqual([403, -32067]);
    expect(await answer(page.key, { origin: 'https://b.example' })).toEqual(VALID);

    const secrets = [first.key, second.key, third.key];
    expect(secrets.filter((key) => server.stderr().includes(key))).toEqual([]);
  });

  test('a key is created and changed with restrictions, which hold at once, and mistakes name their option', async () => {
    const rules = ['--methods', 'read,sendTransaction', '--per-second', '50', '--network', 'solana-localnet'];
    const made = await json('create', ...rules, '--per-day', '1000', '--expires', '90d');
    expect(made).toMatchObject({
      methods: ['read', 'sendTransaction'],
      networks: ['solana-localnet'],
      requests_per_second: 50,
      requests_per_day: 1000,
    });
    expect(await answer(made.key)).toEqual(VALID);
    const tried = await run('update', made.id, '--methods', 'send', '--expires', 'never', '--dry-run');
    expect(tried.stdout).toMatch(
      /^This would change API key .* \(unnamed\):\n\nRESTRICTION +BEFORE +AFTER\n--methods +read, sendTransaction +send\n--expires +\d{4}-.*Z +never\n$/,
    );
    expect(await answer(made.key)).toEqual(VALID);
    const changed = await json('update', made.id, '--methods', 'send', '--per-day', '0');
    expect(changed).toMatchObject({
      is_saved: true,
      requests_per_day: null,
      changes: [
        { member: 'allowed_methods', before: 'read, sendTransaction', after: 'send' },
        { member: 'requests_per_day', before: '1000', after: 'as the plan' },
      ],
    });
    expect(await answer(made.key)).toEqual([403, -32067]);
    expect((await run('update', made.id, '--methods', 'send')).stdout).toContain('is like that already');
    await json('update', made.id, '--methods', 'any', '--network', 'any', '--per-second', '0');
    expect(await answer(made.key)).toEqual(VALID);
    expect((await run('list', '--account', 'default')).stdout).toContain('valid until');
    for (const [args, reason] of [
      [[], 'expected an option that says what to change'],
      [['--methods', 'getbalance'], '"getbalance": a method must be read, send, subscribe'],
      [['--network', 'solana-mainnet'], '--network must be one of solana-localnet'],
      [['--per-second', '101'], '--per-second must be at most 100, as the plan developer allows, got 101'],
      [['--per-day', 'many'], '--per-day must be a whole number'],
      [['--expires', '2020-01-01'], '--expires must be in the future'],
      [['--expires', 'soon'], '--expires must be an instant'],
    ] as const)
      expect(await run('update', made.id, ...args)).toMatchObject({
        end: 'exit code 2',
        stderr: expect.stringContaining(reason),
      });
  });

  test('a second server on the data directory is refused, and commands still reach the first', async () => {
    const second = start(['serve', '--json'], { KEYSLOT_UPSTREAM_URL: upstream });
    expect(await eventually('the second has ended', second.ended)).toBe('exit code 1');
    expect(await answer((await json('create')).key)).toEqual(VALID);
  });

  test('the development key is not rotated, and can be revoked', async () => {
    const { api_key } = JSON.parse(readFileSync(join(directory(), 'dev.json'), 'utf8')) as {
      api_key: string;
    };
    const [development] = (await json('list')).keys;
    expect(development).toMatchObject({ account: 'development', prefix: api_key.slice(0, 11) });
    const { end, stderr } = await run('rotate', String(development?.id));
    expect([end, stderr]).toEqual(['exit code 1', expect.stringContaining('development key')]);
    await json('revoke', String(development?.id));
    expect(await answer(api_key)).toEqual([401, -32042]);
  });
});

test('what was done while no server ran holds when one starts, with the configuration of an operator too', async () => {
  const node = await newNode();
  const dataDir = join(directory(), 'data');
  const file = join(directory(), 'keyslot.yaml');
  writeFileSync(file, `data_dir: ${dataDir}\nnetworks: [{ upstreams: [{ url: '${node.url}' }] }]\n`);
  const operated = ['--config', file];
  const [kept, gone] = [await json('create', ...operated), await json('create', ...operated)];
  await json('revoke', gone.id, ...operated);
  expect(existsSync(join(dataDir, 'admin.sock'))).toBe(false);

  const { answer } = await serve(operated, {});
  expect([await answer(kept.key), await answer(gone.key)]).toEqual([VALID, [401, -32042]]);
  await json('revoke', kept.id, ...operated);
  expect(await answer(kept.key)).toEqual([401, -32042]);
});

test.each([
  [['list', '--json'], 'exit code 0', '{"keys":[]}\n'],
  [['revoke', '4f8b1d0e-0000-4000-8000-000000000000'], 'exit code 1', ''],
])('keys %j makes no store where there is none, and says so', async (args, code, output) => {
  const place = join(directory(), 'mistyped');
  const { end, stdout, stderr } = await run(...args, '--data-dir', place);
  expect([end, stdout]).toEqual([code, output]);
  expect(stderr).toContain(`${place} has no store yet, and no server is running there`);
  expect(existsSync(place)).toBe(false);
});

test('the socket of a server that was killed stands in nobody’s way', async () => {
  const node = await newNode();
  const { server } = await serve([], { KEYSLOT_UPSTREAM_URL: node.url });
  process.kill(server.pid, 'SIGKILL');
  await eventually('the server is gone', server.ended);
  expect(existsSync(join(directory(), 'admin.sock'))).toBe(true);
  const { key } = await json('create');
  const { answer } = await serve([], { KEYSLOT_UPSTREAM_URL: node.url });
  expect(await answer(key)).toEqual(VALID);
});

const postgresUrl = await findPostgres();

test('of two servers on one PostgreSQL, each hears what is done to keys at the other', async (context) => {
  if (postgresUrl === undefined) return context.skip(POSTGRES_MISSING);
  const database = await createDatabase(postgresUrl);
  atEnd(database.drop);
  const node = await newNode();
  const env = { KEYSLOT_UPSTREAM_URL: node.url, KEYSLOT_DATABASE_URL: database.url };
  const file = join(directory(), 'keyslot.yaml');
  writeFileSync(file, '{}\n');
  const places = ['a', 'b'].map((name) => ({ ...env, KEYSLOT_DATA_DIR: join(directory(), name) }));
  const servers = await Promise.all(places.map((place) => serve(['--config', file], place)));
  const ask = async (...args: readonly string[]): Promise<Printed> => {
    return printedBy(await runAlone(['keys', ...args, '--json'], places[0]));
  };
  const bothAnswer = (key: string, wanted: unknown): Promise<unknown> =>
    expect.poll(() => Promise.all(servers.map(({ answer }) => answer(key)))).toEqual([wanted, wanted]);

  const { id, key } = await ask('create');
  await bothAnswer(key, VALID);
  const next = await ask('rotate', id, '--overlap', '0s');
  await bothAnswer(next.key, VALID);
  await bothAnswer(key, [401, -32063]);
  await ask('update', next.id, '--methods', 'send');
  await bothAnswer(next.key, [403, -32067]);
  await ask('update', next.id, '--methods', 'any', '--cidr', '203.0.113.0/24');
  await bothAnswer(next.key, [403, -32068]);
  await ask('update', next.id, '--cidr', 'any');
  await bothAnswer(next.key, VALID);
  await ask('revoke', next.id);
  await bothAnswer(next.key, [401, -32042]);
});

test('commands that come while a server starts or stops are done, as are two that come at once where none runs', async () => {
  const node = await newNode();
  prepareStore(directory());
  const env = { KEYSLOT_UPSTREAM_URL: node.url };
  const create = async (name: string): Promise<Printed> =>
    printedBy(await runAlone(['keys', 'create', '--name', name, '--json']));
  await Promise.all([create('first'), create('second')]);

  const opening = start(['serve', '--json'], env);
  await eventually('it opens the store', () => (existsSync(join(directory(), 'lock')) ? true : undefined), {
    intervalMs: 1,
  });
  const early = await create('early');
  await eventually('it serves', () => (opening.stdout().includes('\n') ? true : undefined));
  const stopped = opening.stop();
  const late = await create('late');
  await stopped;

  const { answer } = await serve([], env);
  expect([await answer(early.key), await answer(late.key)]).toEqual([VALID, VALID]);
  const { keys } = await json('list');
  expect(keys.map(({ name }) => name).sort()).toEqual(['development', 'early', 'first', 'late', 'second']);
});

test.each([
  ['a command', ['keys', 'list']],
  ['a server', ['serve']],
])(
  '%s says whom it waits for while another process has the store, and continues when that ends',
  async (_who, args) => {
    const node = await newNode();
    prepareStore(directory());
    const holder = await startHolder({ dataDir: directory() });
    const waiting = start([...args, '--json'], { KEYSLOT_UPSTREAM_URL: node.url });
    const told = `is in use by process ${holder.pid}; waiting for it`;
    await eventually('it waits', () => (waiting.stderr().includes(told) ? true : undefined));
    await holder.kill();
    await eventually('it continues', () => (waiting.stdout().includes('\n') ? true : undefined));
  },
);

test.each([
  [['rotate', '4f8b1d0e-0000-4000-8000-000000000000'], 1, 'no API key with the id 4f8b1d0e'],
  [['revoke', 'nonsense'], 1, 'no API key with the id nonsense'],
  [['fly'], 2, 'expected a subcommand: create, list, update, rotate, revoke'],
  [['rotate'], 2, 'missing ID'],
  [['revoke', 'a', 'b'], 2, 'unexpected argument "b"'],
  [['create', '--overlap', '1h'], 2, '--overlap'],
  [
    ['rotate', 'a', '--overlap', '1 week'],
    2,
    '--overlap must be a duration such as 90s, 30m, 12h or 7d, got "1 week"',
  ],
  [['rotate', '4f8b1d0e-0000-4000-8000-000000000000', '--overlap', '31d'], 2, '0s to 30d'],
  [['create', '--account', 'development'], 2, 'the account name development'],
  [['create', '--account', 'Ac me'], 2, 'name of an account'],
  [['create', '--name', 'a\u001b[2J'], 2, 'name of a key'],
  [['create', '--origin', 'https://app.example/'], 2, 'origin must be'],
  [['create', '--cidr', '10.0.0.0/33'], 2, 'CIDR must be'],
])('keys %j ends with a line that says why', async (args, code, reason) => {
  const { end, stdout, stderr } = await run(...args);
  expect([end, stdout]).toEqual([`exit code ${code}`, '']);
  expect(stderr).toContain(reason);
});
