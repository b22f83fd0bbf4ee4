import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { eventually } from '../../src/core/eventually.ts';
import { postJson } from '../support/post-json.ts';
import { useCommands } from './use-commands.ts';

/** A test starts a server. */

const { directory, run, json, newNode, serve, start } = useCommands();

type Link = { readonly account: string; readonly link: string };

const PASSWORD = 'correct horse battery staple';
const tokenOf = (text: string): string => /#token=(ks_set_\w+)/.exec(text)?.[1] ?? '';

test('a set-up link names the running server and is told once; its owner is listed and reset', async () => {
  const node = await newNode();
  const { server } = await serve({ KEYSLOT_UPSTREAM_URL: node.url });
  const { base_url: baseUrl } = JSON.parse(readFileSync(join(directory(), 'dev.json'), 'utf8')) as {
    readonly base_url: string;
  };
  const file = join(directory(), 'link.txt');
  const { link } = await json<Link>('setup-link', 'acme', '--file', file);
  expect(link).toMatch(new RegExp(`^${baseUrl}/dashboard/setup#token=ks_set_\\w+$`));
  expect([readFileSync(file, 'utf8'), statSync(file).mode & 0o777]).toEqual([`${link}\n`, 0o600]);
  const refused = await run('setup-link', 'acme', '--file', file);
  expect([refused.end, refused.stdout]).toEqual(['exit code 2', '']);
  expect(refused.stderr).toContain('--file must be a file that can be created: EEXIST');

  const person = { email: 'ann@example.com', name: 'Ann', password: PASSWORD };
  const accept = (token: string) =>
    postJson(`${baseUrl}/account/v1/setup-links/accept`, { setup_token: token, ...person });
  expect((await accept(tokenOf(link))).status).toBe(200);
  expect(await json('members', 'list', 'acme')).toEqual({
    account: 'acme',
    members: [
      {
        member_id: expect.any(String),
        email: 'ann@example.com',
        name: 'Ann',
        role: 'owner',
        has_second_factor: false,
        created_at: expect.stringMatching(/^\d{4}-/),
      },
    ],
  });
  expect((await run('members', 'list', 'acme')).stdout).toMatch(/ann@example\.com +Ann +owner +no +\d{4}-/);
  const signIn = () => postJson(`${baseUrl}/account/v1/session`, { email: person.email, password: PASSWORD });
  expect((await signIn()).status).toBe(201);
  const { stdout } = await run('members', 'reset', 'acme', 'Ann@example.com');
  expect(stdout).toContain(`${baseUrl}/dashboard/reset#token=ks_set_`);
  expect((await signIn()).status).toBe(401);
  expect((await accept(tokenOf(stdout))).status).toBe(200);
  expect((await signIn()).status).toBe(201);
  const told = [tokenOf(link), tokenOf(stdout)];
  expect(told.filter((one) => one === '' || server.stderr().includes(one))).toEqual([]);
  const another = await run('members', 'reset', 'acme', 'bob@example.com');
  expect([another.end, another.stderr]).toEqual(['exit code 1', expect.stringContaining('no such member')]);
});

test('where no server runs the link is made in the store, for an account that exists or not, and names the setting', async () => {
  const missing = await run('members', 'list', 'acme');
  expect([missing.end, missing.stderr]).toEqual(['exit code 1', expect.stringContaining('no account acme')]);
  expect(existsSync(join(directory(), 'store'))).toBe(false);
  const config = join(directory(), 'keyslot.json');
  writeFileSync(config, JSON.stringify({ http: { public_url: 'https://keyslot.example' } }));
  const given = ['--config', config];
  const { link } = await json<Link>('setup-link', 'acme', ...given);
  expect(link).toMatch(/^https:\/\/keyslot\.example\/dashboard\/setup#token=ks_set_\w+$/);
  expect((await json<Link>('setup-link', 'acme', ...given)).link).not.toBe(link);
  expect((await run('members', 'list', 'acme')).stdout).toBe('The account has no members.\n');
  const unknown = await run('setup-link', 'other', '--file', join(directory(), 'other.txt'));
  expect([unknown.end, unknown.stderr]).toEqual(['exit code 2', expect.stringContaining('http.public_url')]);
  expect(existsSync(join(directory(), 'other.txt'))).toBe(false);
  expect((await run('members', 'list', 'other')).end).toBe('exit code 1');
});

test('serve says how people sign in: with the development login, or by the link of the operator', async () => {
  const node = await newNode();
  const printed = async (...args: readonly string[]): Promise<string> => {
    const server = start(['serve', ...args], { KEYSLOT_UPSTREAM_URL: node.url });
    const text = await eventually('the server says where it serves', () =>
      server.stdout().includes('Try it') ? server.stdout() : undefined,
    );
    await server.stop();
    return /^ {2}Dashboard .*$/m.exec(text)?.[0] ?? '';
  };
  expect(await printed()).toMatch(
    /\/dashboard {3}sign in as developer@keyslot\.localhost \(password in dev\.json\)$/,
  );
  const config = join(directory(), 'keyslot.json');
  writeFileSync(config, '{"http":{"public_url":"https://keyslot.example"}}');
  expect(await printed('--config', config)).toMatch(
    new RegExp(
      `/dashboard {3}no members yet; create the first: keyslot setup-link ACCOUNT --config ${config}$`,
    ),
  );
});

test.each([
  [['setup-link'], 'missing ACCOUNT'],
  [['setup-link', 'Acme!'], 'the name of an account must have'],
  [['members'], 'expected a subcommand: list, reset'],
  [['members', 'reset', 'acme'], 'missing EMAIL'],
])('%j ends with a line that says why', async (args, reason) => {
  const { end, stdout, stderr } = await run(...args);
  expect([end, stdout]).toEqual(['exit code 2', '']);
  expect(stderr).toContain(reason);
});
