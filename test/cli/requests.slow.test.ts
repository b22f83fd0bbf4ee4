import { expect, test } from 'vitest';
import { eventually } from '../../src/core/eventually.ts';
import { useCommands } from './use-commands.ts';

const { run, json, newNode, serve, start } = useCommands();

type Listed = {
  readonly requests: readonly Readonly<Record<string, unknown>>[];
  readonly next_cursor?: string;
};
type Made = { readonly key: string; readonly id: string };

const call = (method: string, params: readonly unknown[] = []): string =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });

/** The requests that a command lists, once there are so many. */
const listed = (count: number, ...args: readonly string[]) =>
  eventually(`${count} requests`, async () => {
    const page = await json<Listed>('requests', 'acme', ...args);
    return page.requests.length >= count ? page : undefined;
  });

test('requests are listed and filtered on a running server, and in the store after it', async () => {
  const node = await newNode();
  const { server, post } = await serve({ KEYSLOT_UPSTREAM_URL: node.url });
  const { key, id } = await json<Made>('keys', 'create', '--account', 'acme', '--name', 'checkout');
  const answer = await post(key, call('getSlot'));
  await post(key, call('getMoon'));
  await listed(2);
  const all = await json<Listed>('requests', 'acme', '--caller', id);
  expect(all.requests.map(({ method, error }) => [method, error])).toEqual([
    ['unknown', 'method_not_found'],
    ['getSlot', undefined],
  ]);
  const requestId = answer.headers.get('x-request-id') ?? '';
  const found = await json<Listed>('requests', 'acme', '--id', requestId);
  expect(found.requests).toMatchObject([
    { request_id: requestId, protocol: 'json_rpc', caller_name: 'checkout', status: 200, node: 'node-1' },
  ]);
  expect((await json<Listed>('requests', 'acme', '--failed')).requests).toHaveLength(1);
  const first = await json<Listed>('requests', 'acme', '--limit', '1');
  const second = await json<Listed>('requests', 'acme', '--cursor', first.next_cursor ?? '');
  expect([...first.requests, ...second.requests].map((each) => each.id)).toEqual(
    all.requests.map((each) => each.id),
  );
  const table = (await run('requests', 'acme', '--ok')).stdout;
  expect(table).toMatch(/^TIME +PROTOCOL +METHOD +CALLER +OUTCOME +MS +BYTES +NODE +REQUEST\n/);
  expect(table).toMatch(/ json_rpc +getSlot +checkout +200 +\d+(\.\d)? +\d+ +node-1 +req_\w{22}\n$/);
  await server.stop();
  expect((await json<Listed>('requests', 'acme')).requests).toHaveLength(2);
  expect((await json<Listed>('requests', 'acme', '--slower-than', '86400000')).requests).toEqual([]);
});

test('--follow prints what comes as lines of JSON, until it is stopped', async () => {
  const node = await newNode();
  const { post } = await serve({ KEYSLOT_UPSTREAM_URL: node.url });
  const { key } = await json<Made>('keys', 'create', '--account', 'acme');
  await post(key, call('getSlot'));
  const following = start(['requests', 'acme', '--follow', '--json']);
  const lines = () =>
    following
      .stdout()
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line).method);
  await eventually('the last request', () => (lines().length === 1 ? true : undefined), {
    timeoutMs: 60_000,
  });
  await post(key, call('getBlockHeight'));
  await post(key, call('getEpochInfo'));
  await eventually('the new requests', () => (lines().length === 3 ? true : undefined), {
    timeoutMs: 60_000,
  });
  expect(lines()).toEqual(['getSlot', 'getBlockHeight', 'getEpochInfo']);
  await following.stop();
  expect(following.ended()).toBe('exit code 0');
});

test('params are kept once an operator asks for it, which the audit log has', async () => {
  const node = await newNode();
  const { post } = await serve({ KEYSLOT_UPSTREAM_URL: node.url });
  const { key } = await json<Made>('keys', 'create', '--account', 'acme');
  await post(key, call('getBlockHeight', [{ commitment: 'confirmed' }]));
  expect((await run('accounts', 'params', 'acme', '--on')).stdout).toMatch(/^The params .* are kept until /);
  await post(key, call('getBlockHeight', [{ commitment: 'finalized' }]));
  await run('accounts', 'params', 'acme', '--off');
  await post(key, call('getBlockHeight', [{ commitment: 'processed' }]));
  const { requests } = await listed(3);
  expect(requests.map(({ params }) => params)).toEqual([
    undefined,
    '[{"commitment":"finalized"}]',
    undefined,
  ]);
  const { records } = await json<{ readonly records: readonly { readonly action: string }[] }>(
    ...['audit', 'list', 'acme', '--action', 'recordparams'],
  );
  expect(records).toHaveLength(2);
});

test.each([
  [
    ['--protocol', 'smtp'],
    /--protocol must be one of json_rpc, websocket, grpc, wallets, account, got "smtp"/,
  ],
  [['--status', '99'], /--status must be a whole number from 100 to 599, got 99/],
  [['--caller', 'x'], /--caller must be the id of an API key/],
  [['--ok', '--failed'], /expected either --ok or --failed, got both/],
  [['--follow', '--until', '1h'], /--follow shows what comes: it takes neither --until nor --cursor/],
])('%j is refused', async (args, reason) => {
  const { end, stderr } = await run('requests', 'acme', ...args);
  expect([end, stderr]).toEqual(['exit code 2', expect.stringMatching(reason)]);
});
