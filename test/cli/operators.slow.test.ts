import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { useCommands } from './use-commands.ts';

const { directory, run, json } = useCommands();

const lineOf = async (...args: readonly string[]): Promise<readonly string[]> => {
  const { end, stdout, stderr } = await run(...args);
  return [end, (stdout + stderr).trim()];
};

test('without a server too an account is made, and operates or not; its tokens depend on it', async () => {
  const token = ['tokens', 'create', '--account', 'acme', '--scope', 'operator:read'];
  expect((await lineOf('accounts', 'create', 'acme', '--plan', 'production'))[1]).toMatch(
    /^Created account acme \([0-9a-f-]{36}\) with the plan production[.]$/,
  );
  expect((await lineOf(...token))[1]).toContain(
    'The account acme does not operate this server, so its tokens cannot have the scopes of an operator',
  );
  expect(await lineOf('accounts', 'operator', 'acme', '--on')).toEqual([
    ...['exit code 0', 'The account acme operates this server.'],
  ]);
  expect(await json(...token)).toMatchObject({ account: 'acme', scopes: ['operator:read'] });
  await lineOf('accounts', 'operator', 'acme', '--off');
  expect(await json('accounts', 'operator', 'acme')).toEqual({ account: 'acme', operates: false });
  expect(await lineOf('limits', 'requests')).toEqual([
    ...['exit code 0', 'No open requests for higher limits.'],
  ]);
});

test('accounts are listed, newest first, page by page', async () => {
  const [end, said] = await lineOf('accounts', 'list');
  expect([end, said]).toEqual(['exit code 0', expect.stringContaining('No accounts.')]);
  expect(await json('invoices', 'list')).toEqual({ invoices: [] });
  for (const name of ['acme', 'beta', 'gamma'])
    await lineOf('accounts', 'create', name, '--plan', 'production');
  await lineOf('accounts', 'operator', 'acme', '--on');
  type Page = { readonly accounts: readonly { readonly account: string }[]; readonly next_cursor?: string };
  const first = await json<Page>('accounts', 'list', '--limit', '2');
  const second = await json<Page>('accounts', 'list', '--limit', '2', '--cursor', first.next_cursor ?? '');
  expect([...first.accounts, ...second.accounts].map(({ account }) => account)).toEqual([
    'gamma',
    'beta',
    'acme',
  ]);
  expect(second).toEqual({
    accounts: [expect.objectContaining({ plan: 'production', operates: true, needs_credit_limit: false })],
  });
  const [, table = ''] = await lineOf('accounts', 'list', '--limit', '1');
  expect(table).toMatch(/^ID +ACCOUNT +PLAN +OPERATOR +CREATED\n[0-9a-f-]{36} +gamma +production +no +20/);
  expect(table).toMatch(/More entries: --cursor \S+$/);
  const { stdout } = await run('accounts', 'list', '--jsonl');
  expect(
    stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).account),
  ).toEqual(['gamma', 'beta', 'acme']);
});

test.each([
  [['accounts', 'list', '--cursor', 'x'], '--cursor must be the next_cursor of a page of this list', 2],
  [['accounts', 'list', '--limit', '0'], '--limit must be a whole number from 1 to', 2],
  [['accounts', 'operator', 'acme', '--on', '--off'], 'expected either --on or --off, got both', 2],
  [['limits', 'grant', 'x'], 'There is no request for a higher limit with the id x', 1],
  [['limits', 'refuse', '4f8b1d0e-0000-4000-8000-000000000000'], 'the reason must have', 2],
  [['limits', 'grant', '4f8b1d0e-0000-4000-8000-000000000000'], 'There is no request for a higher limit', 1],
  [['accounts', 'operator', 'acme'], 'There is no account acme', 1],
])('%j says why it failed, and makes no store', async (args, reason, code) => {
  const { end, stderr } = await run(...args);
  expect([end, stderr]).toEqual([`exit code ${code}`, expect.stringContaining(reason)]);
  expect(existsSync(join(directory(), 'store'))).toBe(false);
});
